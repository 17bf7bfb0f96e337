// PLM3000 to PLM3999: what both processes log.
import type { CatalogEntry } from "./entry.ts";

export const sharedEntries: readonly CatalogEntry[] = [
  {
    code: "PLM3001",
    message: "unhandled rejection",
    meaning: "A promise was rejected and nothing handled it.",
    remedy: "this is a bug: please report it",
  },
  {
    code: "PLM3002",
    message: "request failed",
    meaning: "An exception in one request; it gets 500, the others are not affected.",
    remedy: "this is a bug: please report it",
  },
  {
    code: "PLM3003",
    message: "a flag has no effect of its own",
    meaning: "A flag is accepted for compatibility and does nothing, or is replaced by another.",
    remedy: "`warning` says what to do; remove the flag",
  },
  {
    code: "PLM3010",
    message: "a token could not be reviewed",
    meaning: "No response to a TokenReview. A wrong token is not logged: its caller gets 401.",
    remedy:
      "grant the permission to create TokenReviews (`system:auth-delegator`), or wait for the API server",
  },
  {
    code: "PLM3011",
    message: "access could not be reviewed",
    meaning: "No response to a SubjectAccessReview; without a response nothing is allowed.",
    remedy:
      "grant the permission to create SubjectAccessReviews (`system:auth-delegator`), or wait for the API server",
  },
  {
    code: "PLM3020",
    message: "certificate directory is not writable; the certificate lives in memory",
    meaning: "Every replica and every restart has another certificate.",
    remedy: "mount a writable `--cert-dir`, or give a certificate",
  },
  {
    code: "PLM3021",
    message: "files could not be read again; keeping the old ones",
    meaning: "Files of a certificate cannot be read.",
    remedy: "mount the Secret again",
  },
  {
    code: "PLM3022",
    message: "new serving certificate is not usable; keeping the old one",
    meaning: "Certificate and key do not belong together, or one changed without the other.",
    remedy: "see [reload failed](troubleshooting.md#reload-failed)",
  },
];
