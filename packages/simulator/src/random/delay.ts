/** How long something takes. Plain JSON. */
export type Delay =
  | { readonly kind: "fixed"; readonly ms: number }
  /** Log-normal, by its median and its 95th percentile. */
  | { readonly kind: "log-normal"; readonly medianMs: number; readonly p95Ms: number }
  /** One of the list, each as likely as the others: what was measured. */
  | { readonly kind: "list"; readonly ms: readonly number[] };
