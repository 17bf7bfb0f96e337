// Random queries of the constructs that cost a server the most: what a client sends that looks for the limits.
import * as fc from "fast-check";

const label = fc.constantFrom("pod", "a", "b", "c");
const repeated = (part: string) => fc.integer({ min: 1, max: 12 }).map((times) => part.repeat(times));
const pattern = fc.oneof(
  fc.constantFrom("(.*)", "((.*)-)?(.*)", "(x+)?(.*)"),
  fc.tuple(repeated(".?"), fc.constantFrom("(.*)", "(.*)y")).map(([options, end]) => `.*${options}${end}`),
  fc
    .tuple(fc.integer({ min: 1, max: 400 }), repeated("x?"))
    .map(([times, options]) => `(${options}.{0,${times}}x{0,${times}}y?)`),
);
const replacement = fc
  .array(fc.constantFrom("$1", "$2", "$0", "-", "text of the query"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));
const steps = fc.constantFrom("5m:6s", "25m:30s", "1h:1m", "1d:30s", "6h:10s", "1d:1m");

export const costlyQuery: fc.Arbitrary<string> = fc.letrec<{ query: string }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 5, depthSize: "medium" },
    fc.constant("up"),
    fc
      .tuple(fc.constantFrom("=~", "!~"), label, pattern)
      .map(([sign, name, text]) => `up{${name}${sign}"${text}"}`),
    fc.tuple(label, repeated('="",')).map(([name, text]) => `up{${text.replaceAll('="",', `${name}!="",`)}}`),
    fc
      .tuple(tie("query"), label, replacement, label, pattern)
      .map(
        ([inner, dst, text, src, regex]) => `label_replace(${inner},"${dst}","${text}","${src}","${regex}")`,
      ),
    fc
      .tuple(tie("query"), label, fc.array(label, { minLength: 1, maxLength: 4 }))
      .map(
        ([inner, dst, sources]) =>
          `label_join(${inner},"${dst}","--",${sources.map((one) => `"${one}"`).join()})`,
      ),
    fc
      .tuple(tie("query"), fc.subarray(["pod", "a", "b", "c"]), tie("query"))
      .map(([left, copied, right]) => `(${left} * on (n) group_left (${copied.join()}) ${right})`),
    fc
      .tuple(tie("query"), fc.integer({ min: 1, max: 100 }))
      .map(([inner, k]) => `topk by (pod) (${k}, ${inner})`),
    fc.tuple(tie("query"), steps).map(([inner, at]) => `max_over_time((${inner})[${at}])`),
    fc
      .tuple(tie("query"), steps)
      .map(([inner, at]) => `max_over_time(count_values("v", ${inner} * 1000003 + time())[${at}])`),
    fc
      .tuple(fc.constantFrom("5m", "1h", "1d"), steps)
      .map(([range, at]) => `max_over_time(quantile_over_time(0.5, up[${range}])[${at}])`),
    fc.tuple(tie("query"), tie("query")).map(([left, right]) => `(${left} or ${right})`),
  ),
})).query;
