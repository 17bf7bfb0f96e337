import { expect, test } from "vitest";
import { readRequestHeaders } from "../../../src/serving/authentication/request-header.ts";

const config = {
  anchors: [],
  allowedNames: [],
  usernameHeaders: ["x-remote-user", "x-other-user"],
  uidHeaders: ["x-remote-uid"],
  groupHeaders: ["x-remote-group", "x-other-group"],
  extraHeaderPrefixes: ["x-remote-extra-"],
};
const read = (...rawHeaders: readonly string[]) => readRequestHeaders(rawHeaders, config);

test("a user has the first name, all groups, and extra values by their decoded keys", () => {
  const headers = [
    ["x-other-user", "bob", "X-REMOTE-USER", "ann", "x-remote-uid", "7"],
    ["x-other-group", "c", "x-remote-group", "a", "X-Remote-Group", "b"],
    ["x-remote-extra-example.com%2frole", "one", "x-remote-extra-example.com%2Frole", "two"],
  ];
  const seen = read(...headers.flat());
  expect(seen).toEqual({
    type: "user",
    user: { name: "ann", uid: "7", groups: ["a", "b", "c"], extra: { "example.com/role": ["one", "two"] } },
  });
  expect(read("x-other-user", "bob")).toMatchObject({
    user: { name: "bob", uid: undefined, groups: [], extra: {} },
  });
});

test.each([[[]], [["x-remote-user", ""]], [["x-remote-group", "system:masters"]]])(
  "%j names no user",
  (rawHeaders) => {
    expect(read(...rawHeaders)).toEqual({ type: "absent" });
  },
);

test.each([
  ["X-Remote-User", "x-remote-user"],
  ["X-Remote-Uid", "x-remote-uid"],
])("two values of %s could be of two users", (name, header) => {
  const seen = read("x-remote-user", "ann", "x-remote-uid", "7", name, "other");
  expect(seen).toMatchObject({ type: "ambiguous" });
  expect(String((seen as { readonly header?: string }).header).toLowerCase()).toBe(header);
});
