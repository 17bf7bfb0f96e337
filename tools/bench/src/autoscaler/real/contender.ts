// The controllers that are compared: ours and kube-controller-manager.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { text } from "node:stream/consumers";
import { type ControlPlane, hpaController, startPlimsoll } from "@plimsoll/testbed";
import { parse } from "yaml";

/** One of the controllers that are compared. */
export interface Contender {
  readonly name: string;
  /** The user by which the API server knows its evaluations. */
  readonly user: string;
  start(plane: ControlPlane): Promise<Running>;
}

export interface Running {
  readonly pid: number;
  /** Evaluations so far. */
  evaluations(): Promise<number>;
  stop(): Promise<void>;
}

const account = "system:serviceaccount:plimsoll:autoscaler";
const builtInAccount = "system:serviceaccount:kube-system:horizontal-pod-autoscaler";

/** How our process is started: as the image does. */
export interface OwnProgram {
  readonly command: string;
  readonly args: readonly string[];
}

function ours(name: string, program: OwnProgram): Contender {
  return {
    name,
    user: account,
    async start(plane) {
      const flags = [
        `--kubeconfig=${await plane.kubeconfigFor(account, ["system:serviceaccounts"])}`,
        "--manage-hpas=all",
        "--leader-elect=false",
        "--port=0",
      ];
      const child = await startPlimsoll("autoscaler", flags, program);
      return {
        pid: child.pid,
        stop: () => child.stop(),
        async evaluations() {
          const response = await fetch(`http://127.0.0.1:${child.port}/metrics`);
          return sumOf(await response.text(), "plimsoll_hpa_controller_reconciliations_total");
        },
      };
    },
  };
}

function builtIn(name: string, flags: readonly string[]): Contender {
  return {
    name,
    user: builtInAccount,
    async start(plane) {
      const child = await plane.startControllerManager([`--controllers=${hpaController}`, ...flags]);
      const port = /Serving securely on 127\.0\.0\.1:(\d+)/.exec(child.lines.join("\n"))?.[1];
      if (port === undefined) throw new Error(`${name} does not say where it serves`);
      return {
        pid: child.pid,
        stop: () => child.stop(),
        evaluations: async () =>
          sumOf(
            await securely(`https://127.0.0.1:${port}/metrics`, plane.kubeconfig),
            "horizontal_pod_autoscaler_controller_reconciliation_duration_seconds_count",
          ),
      };
    },
  };
}

const many = "--concurrent-horizontal-pod-autoscaler-syncs=50";

/** kube-controller-manager's own defaults are written out, as the tests' other ones have more. */
export function contendersWith(program: OwnProgram): readonly Contender[] {
  return [
    ours("autoscaler, default flags", program),
    builtIn("kube-controller-manager, tuned", [many, "--kube-api-qps=1000", "--kube-api-burst=1000"]),
    builtIn("kube-controller-manager, default flags", ["--kube-api-qps=20", "--kube-api-burst=30"]),
  ];
}

/** GET with the certificate of a kubeconfig, whoever serves. */
async function securely(url: string, kubeconfig: string): Promise<string> {
  const { users } = parse(readFileSync(kubeconfig, "utf8")) as {
    readonly users: readonly { readonly user: Readonly<Record<string, string>> }[];
  };
  const of = (key: string) => Buffer.from(users[0]?.user[key] ?? "", "base64");
  const credentials = { cert: of("client-certificate-data"), key: of("client-key-data") };
  const sent = request(url, { ...credentials, rejectUnauthorized: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const body = await text(response);
  if (response.statusCode !== 200) throw new Error(`${url} responded ${response.statusCode}: ${body}`);
  return body;
}

/** The sum of all series of a name in the Prometheus text format. */
function sumOf(exposition: string, name: string): number {
  let total = 0;
  for (const line of exposition.split("\n")) {
    if (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) {
      total += Number(line.slice(line.lastIndexOf(" ") + 1));
    }
  }
  return total;
}
