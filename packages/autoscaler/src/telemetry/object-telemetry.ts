// Registers the metrics of each evaluated object, computed at scrape time.
import { setImmediate } from "node:timers/promises";
import type { Clock } from "@plimsoll/component-base";
import type { Registry } from "prom-client";
import { type DecisionStore, keyOfDecision } from "../decisions/decision-log.ts";
import type { Objects } from "../informers/objects.ts";
import type { Watch } from "../informers/watch.ts";
import { namespaceOf, type ScalingObject } from "../objects/scaling-object.ts";
import { isBoundsWla } from "../schedules/hpa-bounds/bounds-wla.ts";
import { type Known, objectFamilies, type Sample } from "./object-series.ts";

/** Objects whose samples are made in one go; in between the loop serves others. */
const batch = 500;

/**
 * The state of every object that this process decides on. Nothing is kept between scrapes, so that the series of an
 * object go when it goes, or when another replica takes it over.
 */
export function registerObjectTelemetry(
  registry: Registry,
  source: {
    readonly decisions: Pick<DecisionStore, "newest">;
    readonly objects: Pick<Objects, "get">;
    /** Those that move the bounds of HPAs are taken from here. */
    readonly wlas: Pick<Watch<ScalingObject>, "list">;
    readonly holds: (key: string) => boolean;
    readonly clock: Pick<Clock, "nowMs">;
  },
): void {
  const others = registry.metrics.bind(registry);
  // The registry writes a family in one go, and one of ten thousand objects takes too long for that.
  Object.assign(registry, { metrics: async () => `${await others()}\n${await text()}` });

  async function text(): Promise<string> {
    const all = known();
    const lines: string[] = [];
    for (const { name, help, samplesOf } of objectFamilies) {
      lines.push(`# HELP ${name} ${help}\n# TYPE ${name} gauge\n`);
      for (const [index, one] of all.entries()) {
        if (index % batch === 0) await setImmediate();
        for (const { labels, value } of samplesOf(one))
          lines.push(`${name}{${labelsText(labels)}} ${value}\n`);
      }
      lines.push("\n");
    }
    return lines.join("");
  }

  function known(): readonly Known[] {
    const nowMs = source.clock.nowMs();
    const decided = source.decisions.newest().flatMap((stored) => {
      const key = keyOfDecision(stored);
      const hpa = source.holds(key) ? source.objects.get(key) : undefined;
      return hpa === undefined ? [] : [{ hpa, stored, nowMs }];
    });
    const moving = source.wlas
      .list()
      .filter(
        (hpa) => isBoundsWla(hpa) && source.holds(`${namespaceOf(hpa)}/${hpa.spec.scaleTargetRef.name}`),
      )
      .map((hpa) => ({ hpa, stored: undefined, nowMs }));
    return [...decided, ...moving];
  }
}

function labelsText(labels: Sample["labels"]): string {
  let text = "";
  for (const name of Object.keys(labels)) {
    const value = labels[name] ?? "";
    const safe = /[\\\n"]/.test(value) ? escaped(value) : value;
    text += text === "" ? `${name}="${safe}"` : `,${name}="${safe}"`;
  }
  return text;
}

function escaped(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
