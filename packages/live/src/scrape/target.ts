// Where a pod is scraped: one declared port of it, at an address that may be reached.
import { BlockList, isIP } from "node:net";

/** A pod that an autoscaler asks about. */
export interface LivePod {
  readonly name: string;
  readonly uid: string;
  readonly ip: string;
  readonly isReady: boolean;
  /** Its address is its node's. */
  readonly isOfNode: boolean;
  readonly ports: readonly {
    readonly container: string;
    readonly name: string | undefined;
    readonly number: number;
  }[];
}

/** What of its pods is read. */
export interface Endpoint {
  /** Of a declared port: the name or the number. */
  readonly port: string | number;
  readonly path: string;
  readonly scheme: "http" | "https";
  readonly access?: Access | undefined;
}

/** What the administrator allows for requests. */
export interface Access {
  readonly authorization?: string | undefined;
  readonly insecureSkipVerify?: boolean | undefined;
}

export interface Target {
  /** Another one after the pod was created again. */
  readonly key: string;
  readonly pod: string;
  readonly isReady: boolean;
  readonly container: string;
  readonly origin: string;
  readonly path: string;
  readonly access?: Access | undefined;
}

/** Which addresses may be scraped. */
export interface AddressRules {
  readonly allowsNodes: boolean;
  /** Undefined: any but those of machines, links and groups. */
  readonly allowed: BlockList | undefined;
}

/** Addresses that no pod has: a pod's status is written by more than its node in some clusters. */
const refused = networks([
  "0.0.0.0/8",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/3",
  // Unspecified, loopback, and IPv4 addresses in IPv6.
  "::/96",
  "64:ff9b::/96",
  "fe80::/10",
  "ff00::/8",
]);

/** @throws RangeError or TypeError when one of them is not a network such as 10.244.0.0/16 */
export function networks(texts: readonly string[]): BlockList {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", prefix = "", ...more] = text.split("/");
    const family = isIP(address);
    if (family === 0 || !/^\d{1,3}$/.test(prefix) || more.length > 0)
      throw new TypeError(`${JSON.stringify(text)} is not a network such as 10.244.0.0/16`);
    list.addSubnet(address, Number(prefix), family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** @returns why the pod cannot be scraped, as a text */
export function targetOf(
  pod: LivePod,
  { port, path, scheme, access }: Endpoint,
  rules: AddressRules,
): Target | string {
  const declared = pod.ports.find((one) => (typeof port === "number" ? one.number : one.name) === port);
  if (declared === undefined)
    return `declares no container port ${port}: add it to the pod, or correct live.port`;
  if (pod.isOfNode && !rules.allowsNodes)
    return "uses the network of its node, which is not scraped without --live-host-network";
  const family = isIP(pod.ip);
  if (family === 0) return `has the address ${JSON.stringify(pod.ip)}, which is not an IP address`;
  if (!isAllowed(pod.ip, family === 4 ? "ipv4" : "ipv6", rules))
    return `has the address ${pod.ip}, which is not scraped: see --live-pod-cidrs`;
  const host = family === 6 ? `[${pod.ip}]` : pod.ip;
  return {
    key: `${pod.uid}:${declared.number}`,
    pod: pod.name,
    isReady: pod.isReady,
    container: declared.container,
    origin: `${scheme}://${host}:${declared.number}`,
    path,
    ...(access === undefined ? {} : { access }),
  };
}

function isAllowed(ip: string, family: "ipv4" | "ipv6", { allowed }: AddressRules): boolean {
  return allowed === undefined ? !refused.check(ip, family) : allowed.check(ip, family);
}
