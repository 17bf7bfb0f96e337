import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { plimsoll } from "./run-plimsoll.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const cli = (args: readonly string[], files: Readonly<Record<string, string>> = {}) =>
  plimsoll(args, {
    readText: async (path) => files[path] ?? readFileSync(`${root}/${path}`, "utf8"),
    nowMs: () => Date.parse("2026-11-21T12:00:00Z"),
  });

const wla = (
  schedules: string,
  spec = "minReplicas: 2\n  maxReplicas: 20",
) => `apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: {name: shop}
spec:
  scaleTargetRef: {kind: Deployment, name: shop}
  ${spec}
  schedules:
${schedules}`;

const office = `  - name: office
    timeZone: Europe/Berlin
    start: "0 8 * * MON-FRI"
    end: "0 18 * * MON-FRI"
    minReplicas: 6
`;

const preview = (text: string, ...more: readonly string[]) =>
  cli(["schedule", "preview", "shop.yaml", ...more], { "shop.yaml": text });

test("a table of changes with local time and UTC, and a timeline", async () => {
  const { code, out, err } = await preview(wla(office), "--days", "3");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toBe(`default/shop: limits 2 to 20, times in Europe/Berlin

WHEN                         UTC                   CHANGE                      LIMITS
Sat 2026-11-21 13:00 +01:00  2026-11-21T12:00:00Z  no schedule active          2 to 20
Mon 2026-11-23 08:00 +01:00  2026-11-23T07:00:00Z  office begins (at least 6)  6 to 20
Mon 2026-11-23 18:00 +01:00  2026-11-23T17:00:00Z  office ends                 2 to 20
Tue 2026-11-24 08:00 +01:00  2026-11-24T07:00:00Z  office begins (at least 6)  6 to 20

        |21         |22         |23         |24
office        ......................#####.......###
each character is 2 h
`);
});

test("JSON has the same for machines", async () => {
  const { out } = await preview(wla(office), "--days", "4", "-o", "json");
  expect(JSON.parse(out)).toMatchObject({
    schema: "plimsoll/schedule-preview/v1",
    from: "2026-11-21T12:00:00Z",
    to: "2026-11-25T12:00:00Z",
    objects: [
      {
        name: "shop",
        minReplicas: 2,
        now: { active: [], minReplicas: 2, maxReplicas: 20 },
        transitions: [
          {
            at: "2026-11-23T07:00:00Z",
            begins: ["office"],
            ends: [],
            active: ["office"],
            minReplicas: 6,
            floor: 6,
          },
          { at: "2026-11-23T17:00:00Z", begins: [], ends: ["office"], active: [], minReplicas: 2 },
          { at: "2026-11-24T07:00:00Z" },
          { at: "2026-11-24T17:00:00Z" },
          { at: "2026-11-25T07:00:00Z" },
        ],
      },
    ],
    problems: [],
  });
});

test("a change of the clocks shows in the offsets, and in a day of 25 hours", async () => {
  const night = office.replace("0 8 * * MON-FRI", "30 2 * * *").replace("0 18 * * MON-FRI", "30 3 * * *");
  const { out } = await preview(wla(night), "--from", "2026-10-24T22:00:00Z", "--days", "2");
  expect(out).toContain("Sun 2026-10-25 02:30 +02:00  2026-10-25T00:30:00Z");
  expect(out).toContain("Sun 2026-10-25 03:30 +01:00  2026-10-25T02:30:00Z");
});

test("a bad entry is reported with file, place, value and remedy; the good one is shown all the same", async () => {
  const bad = office.replace("name: office", "name: bad").replace("Europe/Berlin", "Mars/Olympus");
  const { code, out, err } = await preview(wla(`${bad}${office}`));
  expect(code).toBe(1);
  expect(err).toBe(
    'error: shop.yaml:10:15: document 1: spec.schedules[0].timeZone "Mars/Olympus" is not a time zone (entry "bad"): use a name of the IANA list, such as "Europe/Berlin"\n',
  );
  expect(out).toContain("office begins");
  expect(out).not.toContain("bad");
});

test.each([
  ["", "no WorkloadAutoscaler in shop.yaml"],
  ["apiVersion: v1\nkind: ConfigMap\n", "no WorkloadAutoscaler in shop.yaml"],
])("a file without any is an error: %j", async (text, expected) => {
  expect(await preview(text)).toEqual({ code: 1, out: "", err: `error: ${expected}\n` });
});

test.each([
  ["a: [", "is not YAML"],
  [wla(office, "maxReplicas: many"), 'spec.maxReplicas "many" is not a whole number of at least 1'],
  [wla(office, "minReplicas: 1"), "spec.maxReplicas is missing"],
  [wla(office, "minReplicas: 9\n  maxReplicas: 8"), "spec.maxReplicas 8 is below spec.minReplicas, 9"],
  [wla(""), "spec.schedules has no schedules: add spec.schedules"],
  [wla(office.replace("minReplicas: 6", "minReplicas: 21")), "minReplicas 21 is above spec.maxReplicas, 20"],
  [
    wla(`${office}    exclusions: [{calendarName: de}]\n`),
    'calendarName "de" is not a calendar that this process can read',
  ],
])("%j is reported and ends with 1", async (text, expected) => {
  const { code, err } = await preview(text);
  expect(code).toBe(1);
  expect(err).toContain(expected);
});

test.each([
  [["--days", "0"], "--days 0 is not a whole number from 1 to 366"],
  [["--days", "x"], "--days x is not a whole number from 1 to 366"],
  [
    ["--from", "tomorrow"],
    "--from tomorrow is not a time: use a value such as 2026-12-24T08:00:00Z, or 2026-12-24",
  ],
  [
    ["--time-zone", "Mars"],
    '--time-zone "Mars" is not a time zone: use a name of the IANA list, such as Europe/Berlin',
  ],
  [["--calendar", "de"], "--calendar de must be NAME=FILE"],
])("%j is refused", async (flags, expected) => {
  expect(await preview(wla(office), ...flags)).toEqual({ code: 1, out: "", err: `error: ${expected}\n` });
});

test("schedules of an HPA move the bounds that it has in the file, within the object's own", async () => {
  const object = wla(office, "minReplicas: 1\n  maxReplicas: 30").replace(
    "kind: Deployment",
    "apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler",
  );
  const hpa = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop, namespace: default}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, minReplicas: 2, maxReplicas: 5}
`;
  const { code, out } = await preview(`${object}${hpa}`, "--days", "3");
  expect(code).toBe(0);
  expect(out).toContain("limits 2 to 5 of HorizontalPodAutoscaler shop, within 1 to 30");
  expect(out).toMatch(/no schedule active +2 to 5\n/);
  expect(out).toMatch(/office begins \(at least 6\) +6 to 6\n/);
  const alone = await preview(object, "--days", "3");
  expect(alone.out).toContain("assumed for those of HorizontalPodAutoscaler shop, which is not in the file");
});

test("a file that is not there, and calendars by name", async () => {
  expect((await cli(["schedule", "preview", "missing.yaml"])).code).toBe(1);
  const text = wla(`${office}    exclusions: [{calendarName: de}]\n`);
  const ics = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261123\nEND:VEVENT\nEND:VCALENDAR\n";
  const args = ["schedule", "preview", "shop.yaml", "--days", "4", "--calendar", "de=de.ics"];
  const { code, out } = await cli(args, { "shop.yaml": text, "de.ics": ics });
  expect(code).toBe(0);
  expect(out).not.toContain("Mon 2026-11-23");
  expect(out).toContain("Tue 2026-11-24 08:00 +01:00");
});

const page = readFileSync(`${root}/docs/schedules.md`, "utf8");
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, "g"))].map(([, text]) => text ?? "");

test("the example of the page is a file", () => {
  // Files have a line for editors, too.
  const file = readFileSync(`${root}/examples/schedules/business-hours.yaml`, "utf8").replace(
    /^# yaml-language-server: .*\n/,
    "",
  );
  expect(blocks("yaml")).toEqual([file]);
});

test("the command of the page prints what it says", async () => {
  const [block = "", ...others] = blocks("console");
  expect(others).toEqual([]);
  const [first = "", ...expected] = block.split("\n");
  const { code, out } = await cli(first.replace("$ plimsoll ", "").split(" "));
  expect({ code, out }).toEqual({ code: 0, out: expected.join("\n") });
});

test("a calendar over a limit is reported, and what it would exclude is not", async () => {
  const calendar = (rule: string) => `    exclusions:
      - calendar: |
          BEGIN:VCALENDAR
          BEGIN:VEVENT
          DTSTART;VALUE=DATE:20261123
          ${rule}
          END:VEVENT
          END:VCALENDAR
`;
  const long = await preview(wla(office + calendar("DURATION:P99999999W")), "--days", "3");
  expect(long.code).toBe(1);
  expect(long.err).toContain("has an event that lasts for more than 366 days");
  expect(long.out).toContain("office begins");
  const short = await preview(wla(office + calendar("DURATION:P2D")), "--days", "3");
  expect({ code: short.code, err: short.err }).toEqual({ code: 0, err: "" });
  expect(short.out).not.toContain("2026-11-23T07:00:00Z");
});

const others = blocks("sh").flatMap((block) =>
  [...block.matchAll(/^plimsoll (schedule preview examples\/.*)$/gm)].map(([, words = ""]) => words),
);

test("the page previews each example", () => {
  const shown = [...others, ...blocks("console")].join("\n");
  const files = readdirSync(`${root}/examples/schedules`);
  expect(files.length).toBeGreaterThan(2);
  expect(files.filter((name) => !shown.includes(`examples/schedules/${name} `))).toEqual([]);
});

test.each(others)("%s", async (words) => {
  const { code, out } = await cli(words.split(" "));
  expect(code).toBe(0);
  const [, name = ""] = /schedules\/(.*)\.yaml/.exec(words) ?? [];
  await expect(out).toMatchFileSnapshot(`golden/schedule-${name}.txt`);
});
