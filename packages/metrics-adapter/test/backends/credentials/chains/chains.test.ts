// Where the libraries of clouds find credentials: each in a process of its own, with the environment of such a place.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AzureAuth, GoogleAuth, SigV4Auth } from "@plimsoll/rules";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { startCloud } from "./cloud.ts";

const sigv4: SigV4Auth = { type: "sigv4", region: "eu-central-1", service: "aps", profile: undefined };
const scope = "https://www.googleapis.com/auth/monitoring.read";
const google: GoogleAuth = { type: "google", credentialsFile: undefined, scope };
const azureScope = "https://prometheus.monitor.azure.com/.default";
const azure: AzureAuth = { type: "azure", clientId: undefined, scope: azureScope };

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

async function fileOf(text: string): Promise<string> {
  const folder = testFolder();
  const file = join(folder, "file");
  await writeFile(file, text);
  return file;
}

const keys = {
  AccessKeyId: "AKIDCLOUD",
  SecretAccessKey: "secret",
  Token: "session",
};

test("AWS: keys of the environment", async () => {
  const { run, queries } = await startCloud(() => undefined);
  const said = await run(sigv4, {
    AWS_ACCESS_KEY_ID: "AKIDENV",
    AWS_SECRET_ACCESS_KEY: "s",
    AWS_SESSION_TOKEN: "t",
  });
  expect(said).toBe("ok");
  expect(queries[0]?.["authorization"]).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIDENV\/\d{8}\/eu-central-1\/aps\/aws4_request, /,
  );
  expect(queries[0]?.["x-amz-security-token"]).toBe("t");
});

test("AWS: a role by the token of a service account", async () => {
  const forms: URLSearchParams[] = [];
  const { run, queries, url } = await startCloud(({ body }) => {
    forms.push(new URLSearchParams(body));
    const { AccessKeyId, SecretAccessKey, Token } = keys;
    const fields = `<AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey>`;
    const credentials = `${fields}<SessionToken>${Token}</SessionToken><Expiration>${inAnHour()}</Expiration>`;
    const result = `<AssumeRoleWithWebIdentityResult><Credentials>${credentials}</Credentials></AssumeRoleWithWebIdentityResult>`;
    const namespace = "https://sts.amazonaws.com/doc/2011-06-15/";
    return {
      type: "text/xml",
      body: `<AssumeRoleWithWebIdentityResponse xmlns="${namespace}">${result}</AssumeRoleWithWebIdentityResponse>`,
    };
  });
  const said = await run(sigv4, {
    AWS_ROLE_ARN: "arn:aws:iam::1:role/adapter",
    AWS_WEB_IDENTITY_TOKEN_FILE: await fileOf("token-of-account"),
    AWS_ENDPOINT_URL_STS: url,
  });
  expect(said).toBe("ok");
  expect(Object.fromEntries(forms[0] ?? [])).toMatchObject({
    Action: "AssumeRoleWithWebIdentity",
    RoleArn: "arn:aws:iam::1:role/adapter",
    WebIdentityToken: "token-of-account",
  });
  expect(queries[0]?.["authorization"]).toContain("Credential=AKIDCLOUD/");
  expect(queries[0]?.["x-amz-security-token"]).toBe("session");
});

test("AWS: the endpoint of the container", async () => {
  const { run, queries, url } = await startCloud(({ headers }) =>
    headers["authorization"] === "pod-token"
      ? { body: JSON.stringify({ ...keys, Expiration: inAnHour() }) }
      : undefined,
  );
  const said = await run(sigv4, {
    AWS_CONTAINER_CREDENTIALS_FULL_URI: `${url}/v1/credentials`,
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: await fileOf("pod-token"),
  });
  expect(said).toBe("ok");
  expect(queries[0]?.["authorization"]).toContain("Credential=AKIDCLOUD/");
});

test("AWS: without credentials nothing is sent, and the error says so", async () => {
  const { run, queries } = await startCloud(() => undefined);
  expect(await run(sigv4, { AWS_EC2_METADATA_DISABLED: "true" })).toMatch(
    /^there is no credential for it: .*credentials/i,
  );
  expect(queries).toEqual([]);
});

test("Google Cloud: the account of the machine, by the metadata server", async () => {
  const { run, queries, host } = await startCloud(({ url, headers }) =>
    headers["metadata-flavor"] === "Google" && url.pathname.endsWith("/service-accounts/default/token")
      ? {
          headers: { "metadata-flavor": "Google" },
          body: JSON.stringify({
            access_token: `of-${url.searchParams.get("scopes") ?? ""}`,
            expires_in: 3600,
            token_type: "Bearer",
          }),
        }
      : { headers: { "metadata-flavor": "Google" }, body: "ok" },
  );
  expect(await run(google, { GCE_METADATA_HOST: host, METADATA_SERVER_DETECTION: "assume-present" })).toBe(
    "ok",
  );
  expect(queries[0]?.["authorization"]).toBe(`Bearer of-${scope}`);
});

test("Google Cloud: a metadata server that starts after the process", async () => {
  let pings = 0;
  const headers = { "metadata-flavor": "Google" };
  const { run, host } = await startCloud(({ url: { pathname } }) => {
    if (pathname.endsWith("/token"))
      return {
        headers,
        body: JSON.stringify({ access_token: "late", expires_in: 3600, token_type: "Bearer" }),
      };
    pings += 1;
    return pings === 1 ? undefined : { headers, body: "ok" };
  });
  const environment = { GCE_METADATA_HOST: host, METADATA_SERVER_DETECTION: "ping-only" };
  expect(await run(google, environment, 2)).toMatch(/^there is no credential for it: .*\nok$/s);
});

test("Google Cloud: a metadata server that does not respond, on a machine of Google's", async () => {
  let isSilent = true;
  const { run, host, endings } = await startCloud(() => (isSilent ? "never" : undefined));
  // As on Cloud Run: the library takes such a place for one whose metadata server needs no timeout.
  const said = run(google, { GCE_METADATA_HOST: host, K_SERVICE: "adapter" });
  await expect.poll(endings, { timeout: 60_000 }).toBeGreaterThan(0);
  isSilent = false;
  expect(await said).toMatch(/^(there is )?no credential /);
});

test("Google Cloud: workload identity federation, by a file", async () => {
  const { run, queries, url } = await startCloud(({ body }) =>
    new URLSearchParams(body).get("subject_token") === "subject"
      ? { body: JSON.stringify({ access_token: "federated", expires_in: 3600, token_type: "Bearer" }) }
      : undefined,
  );
  const credentialsFile = await fileOf(
    JSON.stringify({
      type: "external_account",
      audience: "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
      subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
      token_url: `${url}/v1/token`,
      credential_source: { file: await fileOf("subject") },
    }),
  );
  expect(await run({ ...google, credentialsFile }, {})).toBe("ok");
  expect(queries[0]?.["authorization"]).toBe("Bearer federated");
});

test("Google Cloud: a file that is not there", async () => {
  const { run, queries } = await startCloud(() => undefined);
  expect(await run({ ...google, credentialsFile: "/nonexistent/key.json" }, {})).toMatch(
    /^there is no credential for it: .*\/nonexistent\/key\.json/,
  );
  expect(queries).toEqual([]);
});

test("Azure: the managed identity of the place", async () => {
  const { run, queries, url } = await startCloud(({ url: { searchParams }, headers }) =>
    headers["x-identity-header"] === "header-secret"
      ? {
          body: JSON.stringify({
            access_token: `of-${searchParams.get("resource") ?? ""}-${searchParams.get("client_id") ?? ""}`,
            expires_on: String(Math.floor(Date.now() / 1000) + 3600),
            token_type: "Bearer",
            resource: searchParams.get("resource"),
          }),
        }
      : undefined,
  );
  const environment = { IDENTITY_ENDPOINT: `${url}/msi/token`, IDENTITY_HEADER: "header-secret" };
  expect(await run({ ...azure, clientId: "id-1" }, environment)).toBe("ok");
  expect(queries[0]?.["authorization"]).toBe("Bearer of-https://prometheus.monitor.azure.com-id-1");
});

test("Azure: an endpoint of identities that does not respond", async () => {
  let isSilent = true;
  const { run, url, endings } = await startCloud(() => (isSilent ? "never" : undefined));
  const environment = { IDENTITY_ENDPOINT: `${url}/msi/token`, IDENTITY_HEADER: "header-secret" };
  const said = run(azure, environment);
  // The library tries several times, each with a limit of its own.
  await expect.poll(endings, { timeout: 60_000 }).toBeGreaterThan(0);
  isSilent = false;
  expect(await said).toMatch(/^(there is )?no credential /);
});
