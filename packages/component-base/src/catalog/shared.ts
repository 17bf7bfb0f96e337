// PLM3000 to PLM3999: what both processes log.
import type { CatalogEntry } from "./entry.ts";

export const sharedEntries: readonly CatalogEntry[] = [
  {
    code: "PLM3001",
    message: "unhandled rejection",
    help: "A bug: please report it.",
  },
  {
    code: "PLM3002",
    message: "request failed",
    help: "A bug: please report it. Other requests aren't affected.",
  },
  {
    code: "PLM3003",
    message: "a flag has no effect",
    help: "The flag is accepted for compatibility. Remove it: `warning` says what replaces it.",
  },
  {
    code: "PLM3010",
    message: "could not review a token",
    help: "The API server didn't review a token. Grant `system:auth-delegator`, or wait.",
  },
  {
    code: "PLM3011",
    message: "could not review access",
    help: "The API server didn't review the access, so it is refused. Grant `system:auth-delegator`, or wait.",
  },
  {
    code: "PLM3040",
    message: "an object is left out",
    help: "It is too large or unreadable: see [object left out](troubleshooting.md#object-left-out).",
  },
  {
    code: "PLM3020",
    message: "certificate directory is not writable; keeping the certificate in memory",
    help: "Each restart has another certificate. Mount a writable `--cert-dir`, or set a certificate.",
  },
  {
    code: "PLM3021",
    message: "could not reload files; keeping the old ones",
    help: "Mount the Secret again.",
  },
  {
    code: "PLM3022",
    message: "new serving certificate is not usable; keeping the old one",
    help: "Certificate and key don't match: see [reload failed](troubleshooting.md#reload-failed).",
  },
];
