import { X509Certificate } from "node:crypto";
import { messageOf } from "@plimsoll/component-base";
import { isConflict, type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import type { CertificateStore, StoredPair } from "@plimsoll/kube/serving";

/** Stores the self-signed certificate in a Secret that all replicas read. */
export interface CertificateSecret extends CertificateStore {
  /** What an APIService takes as caBundle, by the Secret as it is now: another replica may have renewed it. */
  caBundle(): Promise<string | undefined>;
}

export interface SecretName {
  readonly namespace: string;
  readonly name: string;
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const keys = { cert: "tls.crt", key: "tls.key", ca: "ca.crt" };

/** The Secret must exist: permission to update one by name is enough, none to create is needed. */
export function createCertificateSecret(options: {
  readonly client: KubeClient;
  readonly secret: SecretName;
  readonly nowMs: () => number;
}): CertificateSecret {
  const { client, secret, nowMs } = options;
  const { namespace, name } = secret;
  const path = resourcePath({ group: "", version: "v1", resource: "secrets" }, namespace, name);
  let last: Secret | undefined;

  return {
    caBundle: async () => (await client.request<Secret>({ path })).data?.[keys.ca],
    load: async () => {
      last = await client.request<Secret>({ path }).catch((error: unknown) => {
        throw new Error(
          `the Secret ${namespace}/${name} of --self-signed-cert-secret can't be read: ${messageOf(error)}`,
          { cause: error },
        );
      });
      const [certPem, keyPem, caPem] = [keys.cert, keys.key, keys.ca].map((key) => decode(last?.data?.[key]));
      return certPem === undefined || keyPem === undefined ? undefined : { certPem, keyPem, caPem };
    },
    save: async (pair: StoredPair) => {
      // Replicas that were started earlier still use the certificate of the previous authority.
      const authorities = [pair.caPem ?? pair.certPem, ...stillValid(decode(last?.data?.[keys.ca]), nowMs())];
      const data = {
        ...last?.data,
        [keys.cert]: encode(pair.certPem),
        [keys.key]: encode(pair.keyPem),
        [keys.ca]: encode(authorities.join("")),
      };
      try {
        last = await client.request<Secret>({ method: "PUT", path, body: { ...last, data } });
        return true;
      } catch (error) {
        if (isConflict(error)) return "conflict";
        throw new Error(
          `the Secret ${namespace}/${name} of --self-signed-cert-secret cannot be written: ${messageOf(error)}`,
          { cause: error },
        );
      }
    },
  };
}

const maxAuthorities = 2;

function stillValid(bundle: string | undefined, nowMs: number): readonly string[] {
  const found = bundle?.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g) ?? [];
  return found.slice(0, maxAuthorities).filter((pem) => {
    try {
      return Date.parse(new X509Certificate(pem).validTo) > nowMs;
    } catch {
      return false;
    }
  });
}

function decode(text: string | undefined): string | undefined {
  return text === undefined ? undefined : Buffer.from(text, "base64").toString("utf8");
}

function encode(text: string): string {
  return Buffer.from(text).toString("base64");
}
