// The certificates of the benchmark's servers and clients.
import { createAuthority, type Identity, issue } from "@plimsoll/kube/testing";

/** One authority, the serving certificate of every server under test, and the front proxy's client certificate. */
export interface Pki {
  readonly ca: string;
  readonly server: Identity;
  /** Another serving certificate, which takes the place of the first one. */
  readonly renewed: Identity;
  readonly frontProxy: Identity;
}

export const frontProxyName = "front-proxy-client";

export async function createPki(): Promise<Pki> {
  const authority = await createAuthority("bench-ca");
  const server = () =>
    issue(authority, "CN=localhost", { usage: "server", hosts: ["localhost", "127.0.0.1"] });
  return {
    ca: authority.pem,
    server: await server(),
    renewed: await server(),
    frontProxy: await issue(authority, `CN=${frontProxyName}`),
  };
}
