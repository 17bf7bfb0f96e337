// Chooses the page by the address, and has the keys that work on every page.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useConsole } from "../context/console.ts";
import { useKeys } from "../context/keys.ts";
import { objectRoute, pageRoute, type Route, type View } from "../context/route.ts";
import { lazy } from "../ui/lazy.tsx";
import { visibleText } from "../ui/visible-text.ts";
import { Help } from "./help.tsx";
import { Shell } from "./shell.tsx";

const pages: Readonly<Record<View, ComponentType>> = {
  fleet: lazy(async () => (await import("../fleet/fleet-page.tsx")).FleetPage),
  object: lazy(async () => (await import("../object/object-page.tsx")).ObjectPage),
  trace: lazy(async () => (await import("../trace/trace-page.tsx")).TracePage),
  "what-if": lazy(async () => (await import("../what-if/what-if-page.tsx")).WhatIfPage),
  shadow: lazy(async () => (await import("../shadow/shadow-page.tsx")).ShadowPage),
  findings: lazy(async () => (await import("../findings/findings-page.tsx")).FindingsPage),
};

export function App() {
  const { keys, router, settings } = useConsole();
  const [isHelpOpen, openHelp] = useState(false);
  const route = router.route.value;
  const Page = pages[route.view];
  const place = placeOf(route);
  useKeys(keys, [
    { key: "?", does: "keys and help", run: () => openHelp(true) },
    { key: "u", does: "up", run: () => router.go(upFrom(route)) },
  ]);
  useEffect(() => {
    document.documentElement.dataset["theme"] = settings.theme.value;
  }, [settings.theme.value]);
  useEffect(() => {
    document.title = visibleText(`${titleOf(route)} · Plimsoll`);
  });
  return (
    <>
      <Shell onHelp={() => openHelp(true)}>
        <Page key={place} />
      </Shell>
      {isHelpOpen ? <Help onClose={() => openHelp(false)} /> : null}
    </>
  );
}

/** A page about another object is another page. */
function placeOf({ view, object }: Route): string {
  return object === undefined ? view : `${view} ${object.namespace}/${object.resource}/${object.name}`;
}

function upFrom({ view, object }: Route): Route {
  if (object === undefined) return pageRoute("fleet");
  return view === "object" ? pageRoute("fleet") : objectRoute(object);
}

function titleOf({ view, object }: Route): string {
  const names = {
    fleet: "Fleet",
    object: "",
    trace: "Trace",
    "what-if": "What if",
    shadow: "Shadow",
    findings: "Findings",
  };
  if (object === undefined) return names[view];
  return `${names[view]} ${object.namespace}/${object.name}`.trim();
}
