import { expect, test } from "vitest";
import { announcementAnnotations, announcementOf } from "../../src/leadership/announcement.ts";

const valid = { pod: "autoscaler-0", address: "10.0.0.1:8443", sha256: "0a".repeat(32) };

const read = (changes: Partial<typeof valid>) =>
  announcementOf({
    metadata: { name: "lease", annotations: announcementAnnotations({ ...valid, ...changes }) },
  });

test.each(["10.0.0.1:1", "10.0.0.1:65535", "[fd00::1]:8443"])("the address %s is used", (address) => {
  expect(read({ address })).toEqual({ ...valid, address });
});

test.each<Partial<typeof valid>>([
  { address: "10.0.0.1:0" },
  { address: "10.0.0.1:65536" },
  { address: "10.0.0.1" },
  { address: "fd00::1:8443" },
  { address: "[10.0.0.1]:8443" },
  { address: "metadata.example:80" },
  { pod: "" },
  { pod: "a pod" },
  { sha256: "0a".repeat(31) },
])("nobody is sent to %j, which anyone who may write the Lease could write", (changes) => {
  expect(read(changes)).toBeUndefined();
});
