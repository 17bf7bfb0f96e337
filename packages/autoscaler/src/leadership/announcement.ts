// What a process writes about itself into its Lease: where it serves decisions, and by which certificate it is known.
import { isIP } from "node:net";
import type { Lease } from "@plimsoll/kube";

/** Where a process serves. */
export interface Announcement {
  /** The pod, or the machine outside of one. */
  readonly pod: string;
  /** "address:port" of --secure-port. */
  readonly address: string;
  /** Of the serving certificate's DER form, in hexadecimal digits. */
  readonly sha256: string;
}

const annotation = "autoscaling.plimsoll.dev/serving";
const maxLength = 1000;

export function announcementOf(lease: Pick<Lease, "metadata"> | undefined): Announcement | undefined {
  const text = lease?.metadata.annotations?.[annotation];
  if (text === undefined || text.length > maxLength) return undefined;
  try {
    const { pod, address, sha256 } = JSON.parse(text) as Partial<Record<keyof Announcement, unknown>>;
    if (typeof pod !== "string" || typeof address !== "string" || typeof sha256 !== "string")
      return undefined;
    const isValid = /^[-a-z0-9.]{1,253}$/i.test(pod) && isAddress(address) && /^[0-9a-f]{64}$/.test(sha256);
    return isValid ? { pod, address, sha256 } : undefined;
  } catch {
    return undefined;
  }
}

/** An address of IPv6 stands in brackets; a name is none, so that no client makes this process look one up. */
function isAddress(address: string): boolean {
  const { host, port } = placeOf({ address });
  return isIP(host) === (address.startsWith("[") ? 6 : 4) && port > 0 && port < 65_536;
}

export function placeOf({ address }: Pick<Announcement, "address">): {
  readonly host: string;
  readonly port: number;
} {
  const [, inBrackets, plain, port] = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(address) ?? [];
  return { host: inBrackets ?? plain ?? "", port: Number(port ?? 0) };
}

/** Replaces what the leader of before announced. */
export const noAnnouncement: Readonly<Record<string, string>> = { [annotation]: "" };

export function announcementAnnotations(
  announcement: Announcement | undefined,
): Readonly<Record<string, string>> {
  return announcement === undefined ? {} : { [annotation]: JSON.stringify(announcement) };
}
