// A link within the page: a real one, which opens in another tab as any does.
import type { ComponentChildren } from "preact";
import { useConsole } from "./console.ts";
import { hrefOf, type Route } from "./route.ts";
import { isPlainClick } from "./router.ts";

interface LinkProps {
  readonly to: Route;
  readonly children: ComponentChildren;
  readonly class?: string;
  readonly title?: string;
  readonly tabIndex?: number;
  readonly "aria-current"?: "page" | undefined;
}

export function Link({ to, children, ...rest }: LinkProps) {
  const { router } = useConsole();
  return (
    <a
      {...rest}
      href={hrefOf(to)}
      onClick={(event) => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        router.go(to);
      }}
    >
      {children}
    </a>
  );
}
