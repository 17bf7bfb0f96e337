// The frame around every page: mark, pages, state of the connection, theme and help.
import { ageText } from "@plimsoll/core/internal/values";
import type { ComponentChildren } from "preact";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { pageRoute, type View } from "../context/route.ts";
import { themes } from "../context/settings.ts";
import { sourceText } from "../data/server.ts";
import { clockText } from "../ui/words.ts";

const pages = [
  { view: "fleet", name: "Fleet" },
  { view: "shadow", name: "Shadow" },
  { view: "findings", name: "Findings" },
] as const;

interface ShellProps {
  readonly children: ComponentChildren;
  readonly onHelp: () => void;
}

export function Shell({ children, onHelp }: ShellProps) {
  const { announcer, router, server } = useConsole();
  const { view, params } = router.route.value;
  const scope = params["ns"] === undefined ? {} : { ns: params["ns"] };
  return (
    <>
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <header class="top">
        <Link to={pageRoute("fleet")} class="brand">
          <Mark />
          <span>Plimsoll</span>
        </Link>
        <nav aria-label="Pages">
          {pages.map((page) => (
            <Link
              key={page.view}
              to={pageRoute(page.view, scope)}
              aria-current={isWithin(view, page.view) ? "page" : undefined}
            >
              {page.name}
            </Link>
          ))}
        </nav>
        <div class="top-end">
          {server.value.context === undefined ? null : (
            <span class="context" title="context of the kubeconfig">
              {server.value.context}
            </span>
          )}
          <Connection />
          <ThemeButton />
          <button type="button" class="icon-button" onClick={onHelp} aria-label="Keys and help">
            ?
          </button>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {/* Below the page, where it moves nothing when it changes. */}
      <footer class="source">{sourceText(server.value)}</footer>
      <div class="unseen" role="status" aria-live="polite" id="announcements">
        {announcer.text}
      </div>
    </>
  );
}

/** Pages of an object belong to the fleet. */
function isWithin(view: View, page: (typeof pages)[number]["view"]): boolean {
  return view === page || (page === "fleet" && (view === "object" || view === "trace" || view === "what-if"));
}

function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <circle cx="12" cy="12" r="7" />
      <path d="M1 12h22" />
    </svg>
  );
}

function Connection() {
  const { fleet, nowMs, server } = useConsole();
  const state = fleet.state.value;
  const heardMs = fleet.heardMs.value;
  const age = ageText(nowMs.value - heardMs);
  const words = {
    reading: "reading",
    live: "live",
    polling: server.value.source === "recomputed" ? "recomputed every 15s" : "polling every 15s",
    failed: `no data for ${age}`,
  }[state];
  return (
    <span class={`connection ${state}`} title={`last heard of at ${clockText(heardMs)} UTC`}>
      <span class="dot" aria-hidden="true" />
      <span class="connection-words">{words}</span>
    </span>
  );
}

function ThemeButton() {
  const { settings } = useConsole();
  const theme = settings.theme.value;
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "auto";
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`theme: ${theme}`}
      onClick={() => {
        settings.theme.value = next;
      }}
    >
      <svg viewBox="0 0 24 24" class="theme-icon" aria-hidden="true">
        <circle cx="12" cy="12" r="8" class="ring" />
        {theme === "dark" ? <circle cx="12" cy="12" r="8" /> : null}
        {theme === "auto" ? <path d="M12 4a8 8 0 0 0 0 16z" /> : null}
      </svg>
    </button>
  );
}
