// Starts the page.
import { effect, type Signal, signal } from "@preact/signals";
import { render } from "preact";
import { App } from "./app/app.tsx";
import { createAnnouncer } from "./context/announcer.ts";
import { type Console, ConsoleContext } from "./context/console.ts";
import { createKeyMap } from "./context/keys.ts";
import { createRouter } from "./context/router.ts";
import { createSettings } from "./context/settings.ts";
import { createClient } from "./data/client.ts";
import { windowClock } from "./data/clock.ts";
import { createFleet } from "./data/fleet.ts";
import { autoscalerServer, isSameServer, readServer, type Server } from "./data/server.ts";
import { showAllText } from "./ui/visible-text.ts";

const ageStepMs = 1_000;
/** The local server goes over to an autoscaler that appears. */
const serverMs = 5_000;

function start(): void {
  showAllText();
  const root = new URL("../", document.baseURI).pathname;
  const clock = windowClock(window);
  const client = createClient((input, init) => fetch(input, init), root);
  const server = signal<Server>(autoscalerServer);
  const router = createRouter(window);
  const signedIn = signal(0);
  const nowMs = signal(clock.nowMs());
  const fleet = createFleet({ client, clock, hasStream: () => server.peek().parts.stream.ok });
  const keys = createKeyMap();
  const console: Console = {
    client,
    fleet,
    router,
    settings: createSettings(storageOf()),
    announcer: createAnnouncer(clock),
    keys,
    server,
    nowMs,
    signedIn,
  };
  window.addEventListener("keydown", (event) => keys.press(event, console.settings.keys.peek()));
  setInterval(() => {
    nowMs.value = clock.nowMs();
  }, ageStepMs);
  const place = document.getElementById("console");
  if (place === null) return;
  document.documentElement.dataset["theme"] = console.settings.theme.peek();
  effect(() => {
    if (signedIn.value > 0) void signIn(console, server);
  });
  const show = async (): Promise<void> => {
    await prepare(console, server);
    render(
      <ConsoleContext.Provider value={console}>
        <App />
      </ConsoleContext.Provider>,
      place,
    );
  };
  void show();
  setInterval(() => {
    const isLocal = server.peek().isLocal && document.visibilityState === "visible";
    if (isLocal) void readInto(console, server);
  }, serverMs);
  // A pasted address that differs in its fragment only loads nothing by itself.
  window.addEventListener("hashchange", () => {
    if (location.hash.startsWith("#code=")) location.reload();
  });
}

async function signIn(console: Console, server: Signal<Server>): Promise<void> {
  await readInto(console, server);
  console.fleet.retry();
}

/** Takes the one-time code out of the address first, so that it is in no history. */
async function prepare(console: Console, server: Signal<Server>): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code !== null) {
    history.replaceState(null, "", location.pathname + location.search);
    await console.client.exchange(code);
  }
  console.fleet.show(console.router.route.peek().params["ns"], "name");
  // Neither the rows nor the page wait for it.
  void readInto(console, server);
}

/** Rows of another source are read at once: a stream may be there now, or none any more. */
async function readInto(console: Console, server: Signal<Server>): Promise<void> {
  const { client, fleet, announcer } = console;
  const read = await readServer(client);
  if (!read.ok) return;
  const before = server.peek();
  if (isSameServer(before, read.value)) return;
  server.value = read.value;
  if (!before.isLocal || before.source === read.value.source) return;
  announcer.say(`Decisions are ${read.value.source} from now on.`);
  fleet.retry();
}

/** A browser may forbid it. */
function storageOf(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}

start();
