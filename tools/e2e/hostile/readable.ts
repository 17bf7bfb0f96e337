// What must not be read: secrets, addresses of the infrastructure where tenants read, and endless texts.
import { secretTexts, tenantPageSecret } from "./secrets.ts";
import type { HostileStack } from "./stack.ts";
import { tenant, victim } from "./victim.ts";

/** Resources whose statuses we write. */
const written = [
  "metricrules.autoscaling.plimsoll.dev",
  "workloadautoscalers.autoscaling.plimsoll.dev",
  "horizontalpodautoscalers.autoscaling",
  "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com",
];

/** Longer than any message that a person reads. */
const maxMessage = 4096;
const maxLine = 32_768;

/** A line for each place and fault. */
export function unreadable(stack: HostileStack, errors: Iterable<string>): readonly string[] {
  const found = new Map<string, Set<string>>();
  const note = (what: string, example: string): void => {
    const examples = found.get(what) ?? new Set();
    found.set(what, examples.add(example));
  };
  const addresses = [stack.address.url, stack.prometheus.url, stack.prometheus.realUrl].map(
    (url) => new URL(url).host,
  );
  const check = (where: string, text: string): void => {
    for (const secret of secretTexts) if (text.includes(secret)) note(`${where} has a secret`, secret);
  };
  const checkOfTenant = (where: string, text: string): void => {
    check(where, text);
    for (const address of addresses)
      if (text.includes(address)) note(`${where} has an internal address`, address);
  };
  const checkLength = (where: string, text: string, atMost: number): void => {
    if (text.length > atMost) note(`${where} has more than ${atMost} characters`, `${text.length}`);
  };
  for (const resource of written) {
    for (const { status } of stack.store.list(resource, tenant)) {
      checkOfTenant(`a status of ${resource}`, JSON.stringify(status) ?? "");
      for (const message of messagesIn(status)) checkLength(`a message of ${resource}`, message, maxMessage);
    }
  }
  for (const resource of [...written, "events"]) {
    const texts = stack.store.list(resource, victim).map((object) => JSON.stringify(object));
    if (texts.some((text) => text.includes(tenantPageSecret)))
      note(`${resource} of the victim have a page of the tenant`, "");
  }
  for (const event of stack.store.list("events", tenant)) checkOfTenant("an Event", JSON.stringify(event));
  for (const error of errors) {
    checkOfTenant("an error of the API", error);
    checkLength("an error of the API", error, maxMessage);
  }
  for (const { name, lines } of [stack.adapter, ...stack.autoscalers]) {
    for (const line of lines) {
      check(`a log line of ${name}`, line);
      if (line.includes(tenantPageSecret)) note(`a log line of ${name} has a secret`, tenantPageSecret);
      checkLength(`a log line of ${name}`, line, maxLine);
    }
  }
  return [...found].map(([what, [first = "", ...more]]) => `${what}: ${first} and ${more.length} more`);
}

/** A condition of another client stays in a status that we write: cases fill theirs with this. */
const ofCase = /^x+$/;

function messagesIn(status: unknown): readonly string[] {
  if (typeof status !== "object" || status === null) return [];
  return Object.entries(status).flatMap(([name, value]) =>
    name === "message" && typeof value === "string" && !ofCase.test(value) ? [value] : messagesIn(value),
  );
}
