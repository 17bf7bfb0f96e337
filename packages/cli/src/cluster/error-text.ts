// Failures of a cluster in words for whoever typed the command.
import { messageOf } from "@plimsoll/component-base";
import { redact } from "@plimsoll/core/redact";
import { ApiError, ConnectionError, type KubeContext, KubeconfigError } from "@plimsoll/kube";

/** Whose errors they are. */
export interface ErrorContext {
  readonly server: string;
  readonly context: KubeContext;
  readonly as: string | undefined;
}

/** Whether the error is one of the cluster or the way to it, and no bug. */
export function isClusterError(error: unknown): boolean {
  return error instanceof ApiError || error instanceof ConnectionError || error instanceof KubeconfigError;
}

/** The error as the API server words it, with who was refused, or what could not be reached. */
export function clusterErrorText(error: unknown, { server, context, as }: ErrorContext): string {
  const message = redact(messageOf(error));
  if (error instanceof ApiError && error.code === 401) {
    const name = context.name === undefined ? "" : ` of context "${context.name}"`;
    const impersonated = as === undefined ? "" : `, as "${as}"`;
    return `the API server ${server} does not accept user "${context.user}"${name}${impersonated}: ${message}`;
  }
  if (error instanceof ConnectionError && error.kind !== "credentials")
    return `the API server ${server}: ${message}`;
  return message;
}
