import { expect, test } from "vitest";
import { isLasting, type OtherWriter, otherWriterNote, otherWriterText } from "../src/index.ts";

const nowMs = Date.parse("2030-01-01T00:10:00Z");
const argo: OtherWriter = {
  by: "argocd-controller",
  writes: "replicas",
  count: 4,
  since: "2030-01-01T00:00:00.000Z",
  lastAt: "2030-01-01T00:08:00.000Z",
  retryAt: "2030-01-01T00:12:00.500Z",
};
const builtIn: OtherWriter = { ...argo, by: "kube-controller-manager", writes: "status" };

test("replicas: who, how often, since when, and when they are written again", () => {
  expect(otherWriterText(argo, nowMs)).toBe(
    "argocd-controller has changed the replicas back 4 times since 2030-01-01T00:00:00Z, most recently at 2030-01-01T00:08:00Z. The autoscaler writes them again at 2030-01-01T00:12:00Z, or at once if they are outside minReplicas and maxReplicas.",
  );
  expect(otherWriterText({ ...argo, retryAt: argo.since }, nowMs)).toContain(
    "writes them again at its next evaluation, or",
  );
  expect(otherWriterText({ ...argo, lastAt: "" }, nowMs)).toContain("since 2030-01-01T00:00:00Z. The");
  expect(otherWriterNote(argo)).toBe("argocd-controller changed the replicas back 4 times");
});

test("a status: when the object is managed again", () => {
  expect(otherWriterText({ ...builtIn, count: 1 }, nowMs)).toBe(
    "kube-controller-manager has written the status once since 2030-01-01T00:00:00Z. The autoscaler takes over again at 2030-01-01T00:12:00Z, unless kube-controller-manager writes again.",
  );
  expect(otherWriterNote(builtIn)).toBe("yielded to kube-controller-manager");
});

test("replicas that were set once do not last, a status that was written once does", () => {
  expect([argo, { ...argo, count: 1 }, { ...builtIn, count: 1 }].map(isLasting)).toEqual([true, false, true]);
});
