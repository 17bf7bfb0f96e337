// A real aggregated server of metrics: the test adapter of custom-metrics-apiserver, built from a pinned module.
import { fileURLToPath } from "node:url";
import { buildGoProgram, isExecutable } from "../gobuild/go-program.ts";
import { type Child, startChild } from "../stack/child.ts";

const module = fileURLToPath(new URL("../../testadapter/", import.meta.url));

/**
 * The path of the program: that of $CUSTOM_METRICS_TEST_ADAPTER, or one that is built from the pinned module, which takes
 * minutes the first time. @throws when there is no Go for that
 */
export async function findTestAdapter(
  report: (line: string) => void,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const given = environment["CUSTOM_METRICS_TEST_ADAPTER"];
  if (given) {
    if (isExecutable(given)) return given;
    throw new Error(`CUSTOM_METRICS_TEST_ADAPTER ${given} is not a program: name one, or leave it away`);
  }
  const program = {
    name: "test-adapter",
    source: "sigs.k8s.io/custom-metrics-apiserver/test-adapter",
    module,
    cache: "testadapter",
    linkerFlags: [],
    otherwise: ", or set CUSTOM_METRICS_TEST_ADAPTER to a test-adapter of custom-metrics-apiserver",
  };
  return await buildGoProgram(program, report, environment);
}

export interface TestAdapterOptions {
  readonly binary: string;
  /** A file whose user may review tokens and access, and list objects. */
  readonly kubeconfig: string;
  readonly port: number;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Has the external metrics my-external-metric (42 and 43) and other-external-metric (44). It also listens at port 8080. */
export function startTestAdapter(options: TestAdapterOptions): Promise<Child> {
  const { binary, kubeconfig, port, certFile, keyFile } = options;
  return startChild({
    name: "test-adapter",
    command: binary,
    args: [
      `--lister-kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      "--bind-address=127.0.0.1",
      `--secure-port=${port}`,
      `--tls-cert-file=${certFile}`,
      `--tls-private-key-file=${keyFile}`,
    ],
    ready: (line) => line.includes("Serving securely"),
  });
}
