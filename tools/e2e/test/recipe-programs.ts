// Programs that the recipe book has recipes for, as they run in clusters: with their exporters, and with traffic.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createConnection } from "node:net";
import { join } from "node:path";
import { freePort, type Stops, startChild } from "@plimsoll/testbed";
import { Counter, Registry } from "prom-client";

/** A program that runs. */
export interface Program {
  /** host:port that Prometheus scrapes. */
  readonly metrics: string;
  /** Gives it requests, or work. */
  use(count: number): Promise<void>;
}

interface Where {
  /** Of its own, and there. */
  readonly folder: string;
  /** Of its workload. */
  readonly namespace: string;
  readonly stops: Stops;
}

interface Known {
  /** Of the environment: the programs that it needs. */
  readonly variables: readonly string[];
  start(where: Where): Promise<Program>;
}

/** By recipe. */
export const programs: Readonly<Record<string, Known>> = {
  application: { variables: [], start: startApplication },
  caddy: { variables: ["CADDY"], start: startCaddy },
  haproxy: { variables: ["HAPROXY"], start: (where) => startHaproxy(where, "web") },
  "haproxy-ingress": {
    variables: ["HAPROXY"],
    start: (where) => startHaproxy(where, `${where.namespace}_svc_web_http`),
  },
  nginx: { variables: ["NGINX", "NGINX_EXPORTER"], start: startNginx },
  redis: { variables: ["REDIS", "REDIS_EXPORTER"], start: startRedis },
};

/** The variable that names no program; undefined: all do. */
export const missingOf = (recipe: string): string | undefined =>
  programs[recipe]?.variables.find((name) => process.env[name] === undefined);

async function startApplication({ stops }: Where): Promise<Program> {
  const registry = new Registry();
  const requests = new Counter({
    name: "http_requests_total",
    help: "Requests.",
    labelNames: ["method", "code"],
    registers: [registry],
  });
  const server = createServer(({ method = "", url }, response) => {
    if (url !== "/metrics") {
      requests.inc({ method, code: "200" });
      response.end();
      return;
    }
    response.setHeader("content-type", registry.contentType);
    void registry.metrics().then((text) => response.end(text));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return { metrics: address(port), use: (count) => request(port, count) };
}

async function startCaddy({ folder, stops }: Where): Promise<Program> {
  const [port, admin] = [await freePort(), await freePort()];
  const config = file(
    folder,
    "Caddyfile",
    `{
  admin ${address(admin)}
  auto_https off
  servers {
    metrics
  }
}
http://:${port} {
  bind 127.0.0.1
  respond "ok"
}
`,
  );
  const args = ["run", "--config", config, "--adapter", "caddyfile"];
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
  await run(stops, { variable: "CADDY", args, ready: /serving initial config/, env });
  return { metrics: address(admin), use: (count) => request(port, count) };
}

async function startHaproxy({ folder, stops }: Where, backend: string): Promise<Program> {
  const [port, stats] = [await freePort(), await freePort()];
  const config = file(
    folder,
    "haproxy.cfg",
    `global
  nbthread 1
  maxconn 100
defaults
  mode http
  timeout connect 60s
  timeout client 60s
  timeout server 60s
frontend http
  bind ${address(port)}
  default_backend ${backend}
frontend stats
  bind ${address(stats)}
  http-request use-service prometheus-exporter if { path /metrics }
backend ${backend}
  http-request return status 200
`,
  );
  const args = ["-f", config, "-db", "-V"];
  await run(stops, { variable: "HAPROXY", args, ready: /^Using \w+\(\) as the polling/ });
  return { metrics: address(stats), use: (count) => request(port, count) };
}

async function startNginx({ folder, stops }: Where): Promise<Program> {
  const [port, exporter] = [await freePort(), await freePort()];
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `  ${name}_temp_path ${join(folder, name)};\n`,
  );
  const config = file(
    folder,
    "nginx.conf",
    `daemon off;
master_process off;
error_log stderr notice;
pid ${join(folder, "nginx.pid")};
events {}
http {
${temporary.join("")}  access_log off;
  keepalive_requests 100000;
  server {
    listen ${address(port)};
    location / { return 200; }
    location /stub_status { stub_status; }
  }
}
`,
  );
  const args = ["-e", "stderr", "-p", folder, "-c", config];
  await run(stops, { variable: "NGINX", args, ready: /getrlimit/ });
  const ofExporter = [
    `-nginx.scrape-uri=http://${address(port)}/stub_status`,
    `-web.listen-address=${address(exporter)}`,
  ];
  await run(stops, { variable: "NGINX_EXPORTER", args: ofExporter, ready: /has successfully started/ });
  return { metrics: address(exporter), use: (count) => request(port, count) };
}

async function startRedis({ folder, stops }: Where): Promise<Program> {
  const [port, exporter] = [await freePort(), await freePort()];
  const args = ["--bind", "127.0.0.1", "--port", `${port}`, "--dir", folder, "--save", ""];
  await run(stops, { variable: "REDIS", args, ready: /Ready to accept connections/ });
  const ofExporter = [
    `--redis.addr=redis://${address(port)}`,
    `--web.listen-address=${address(exporter)}`,
    "--check-single-keys=db0=jobs",
  ];
  await run(stops, { variable: "REDIS_EXPORTER", args: ofExporter, ready: /Providing metrics/ });
  return { metrics: address(exporter), use: (count) => send(port, "RPUSH jobs 1\r\n", count, ":") };
}

const address = (port: number): string => `127.0.0.1:${port}`;

function file(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

interface Started {
  /** Of the environment: it names the program. */
  readonly variable: string;
  readonly args: readonly string[];
  readonly ready: RegExp;
  readonly env?: Readonly<Record<string, string>>;
}

async function run(stops: Stops, { variable, args, ready, env = {} }: Started): Promise<void> {
  const command = process.env[variable] ?? "";
  const child = await startChild({ name: variable, command, args, env, ready: (line) => ready.test(line) });
  stops.push(() => child.stop());
}

const request = (port: number, count: number): Promise<void> =>
  send(port, `GET / HTTP/1.1\r\nHost: ${address(port)}\r\n\r\n`, count, "HTTP/1.1 200");

/** Sends all requests over one connection, and waits for their responses. */
async function send(port: number, text: string, count: number, response: string): Promise<void> {
  const socket = createConnection(port, "127.0.0.1");
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [seen, rest] = [0, ""];
  socket.setEncoding("latin1");
  socket.on("data", (part: string) => {
    const parts = (rest + part).split(response);
    seen += parts.length - 1;
    rest = (parts.at(-1) ?? "").slice(-response.length);
    if (seen >= count) resolve();
  });
  socket.on("error", reject);
  socket.on("close", () => reject(new Error(`port ${port} closed after ${seen} of ${count} responses`)));
  socket.write(text.repeat(count));
  await promise.finally(() => socket.destroy());
}
