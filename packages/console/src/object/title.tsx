// The heading of every page about one object.
import { keyOf, type LoggedDecision, type ObjectKey } from "@plimsoll/decisions";
import type { ComponentChildren } from "preact";
import { useConsole } from "../context/console.ts";
import { Link } from "../context/link.tsx";
import { kindNames, objectRoute, pageRoute } from "../context/route.ts";

interface TitleProps {
  readonly object: ObjectKey;
  readonly newest: LoggedDecision | undefined;
  readonly page?: string;
  readonly children?: ComponentChildren;
}

export function ObjectTitle({ object, newest, page, children }: TitleProps) {
  const { fleet } = useConsole();
  const { namespace, name, resource } = object;
  const row = fleet.data.value.rows.get(keyOf(object));
  const mode = newest?.mode ?? row?.mode;
  return (
    <header class="title">
      <div>
        <p class="crumbs">
          <Link to={pageRoute("fleet")}>Fleet</Link> <span aria-hidden="true">/</span>{" "}
          <Link to={pageRoute("fleet", { ns: namespace })}>{namespace}</Link>
          {page === undefined ? null : (
            <>
              {" "}
              <span aria-hidden="true">/</span> <Link to={objectRoute(object)}>{name}</Link>
            </>
          )}
        </p>
        <h1 tabIndex={-1}>
          {page === undefined ? null : <span class="page-name">{page} </span>}
          <span class="object-name">{name}</span>
        </h1>
        <p class="subtitle">
          {kindNames[resource]}
          {row === undefined ? null : ` → ${row.target.kind}/${row.target.name}`}
          {mode === undefined ? null : <span class="tag">{mode}</span>}
          {newest?.source === undefined ? null : <span class="tag">{newest.source}</span>}
        </p>
      </div>
      <div class="title-end">{children}</div>
    </header>
  );
}
