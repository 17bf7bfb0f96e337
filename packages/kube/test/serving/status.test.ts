import { expect, test } from "vitest";
import { anonymousUser, withAuthenticatedGroup } from "../../src/reviews/identity.ts";
import { statusOf } from "../../src/serving/secure-server/status.ts";

test("what failed behind a request is told without addresses; what is wrong with it in the caller's own words", () => {
  const message = "connect ECONNREFUSED 10.1.2.3:9090";
  const causes = [{ message }];
  const shownIn = (code: number): unknown => statusOf({ code, reason: "x", message, details: { causes } });
  expect(shownIn(400)).toMatchObject({ message, details: { causes } });
  for (const code of [500, 503]) expect(JSON.stringify(shownIn(code))).not.toMatch(/10\.1|9090/);
});

test("every user but the anonymous one is authenticated, and said to be so once", () => {
  expect(withAuthenticatedGroup(anonymousUser)).toBe(anonymousUser);
  const ann = withAuthenticatedGroup({ ...anonymousUser, name: "ann", groups: ["team"] });
  expect(ann.groups).toEqual(["team", "system:authenticated"]);
  expect(withAuthenticatedGroup(ann)).toBe(ann);
});
