// Keeps the order and the page of a table in the address.
import type { TableControl } from "../ui/sorted-table.tsx";
import type { Router } from "./router.ts";

/** `name`: of the parameters. */
export function tableControl(router: Router, name: string): TableControl {
  const { params } = router.route.value;
  const page = Number(params[`${name}-page`] ?? 1);
  return {
    state: { sort: params[name] ?? "", page: Number.isInteger(page) && page > 0 ? page : 1 },
    onState: ({ sort, page: next }) =>
      router.set({ [name]: sort, [`${name}-page`]: next === 1 ? "" : String(next) }),
  };
}
