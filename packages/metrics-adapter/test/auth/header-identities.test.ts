import { type AuthenticationConfig, createHeaderIdentities } from "@plimsoll/kube/serving";
import { expect, test } from "vitest";

function configWith(usernameHeader: string): AuthenticationConfig {
  return {
    clientCa: [],
    requestHeader: {
      anchors: [],
      allowedNames: [],
      usernameHeaders: [usernameHeader],
      uidHeaders: ["x-remote-uid"],
      groupHeaders: ["x-remote-group"],
      extraHeaderPrefixes: ["x-remote-extra-"],
    },
  };
}

const alice = ["X-Remote-User", "alice", "X-Remote-Group", "a", "X-Remote-Group", "b", "Accept", "*/*"];

test("the same headers are the same user, whatever else comes with them", () => {
  const identityOf = createHeaderIdentities();
  const config = configWith("x-remote-user");
  const first = identityOf(alice, config);
  expect(first).toMatchObject({
    type: "user",
    method: "front-proxy",
    user: { name: "alice", groups: ["a", "b", "system:authenticated"] },
  });
  expect(identityOf(["Accept", "text/html", ...alice, "User-Agent", "x"], config)).toBe(first);
});

test("any other name, group, order, uid or extra is another identity", () => {
  const identityOf = createHeaderIdentities();
  const config = configWith("x-remote-user");
  const others = [
    ["X-Remote-User", "bob"],
    ["X-Remote-User", "alice"],
    ["X-Remote-User", "alice", "X-Remote-Group", "a"],
    ["X-Remote-User", "alice", "X-Remote-Group", "ab"],
    ["X-Remote-User", "alice", "X-Remote-Group", "b", "X-Remote-Group", "a"],
    [...alice, "X-Remote-Uid", "1"],
    [...alice, "X-Remote-Extra-Scope", "1"],
  ];
  const seen = [alice, ...others].map((headers) => JSON.stringify(identityOf(headers, config)));
  expect(new Set(seen).size).toBe(seen.length);
});

test("a name sent twice is refused each time, and an empty name gives no identity", () => {
  const identityOf = createHeaderIdentities();
  const config = configWith("x-remote-user");
  for (let i = 0; i < 2; i++) {
    expect(identityOf(["X-Remote-User", "alice", "x-remote-user", "root"], config)).toMatchObject({
      type: "refused",
    });
    expect(identityOf(["Accept", "*/*"], config)).toEqual({ type: "anonymous" });
  }
});

test("another configuration forgets what the old one believed", () => {
  const identityOf = createHeaderIdentities();
  expect(identityOf(alice, configWith("x-remote-user"))).toMatchObject({ type: "user" });
  expect(identityOf(alice, configWith("x-user"))).toEqual({ type: "anonymous" });
  expect(identityOf(["X-User", "carol"], configWith("x-user"))).toMatchObject({ user: { name: "carol" } });
});

test("made-up headers and users do not fill the memory, and stay different identities", () => {
  const identityOf = createHeaderIdentities();
  const config = configWith("x-remote-user");
  for (let i = 0; i < 3000; i++) {
    const headers = [`X-Made-Up-${i}`, "1", "X-Remote-User", `user-${i}`];
    expect(identityOf(headers, config)).toMatchObject({ user: { name: `user-${i}` } });
  }
  const known = identityOf(alice, config);
  expect(identityOf(alice, config)).toBe(known);
});
