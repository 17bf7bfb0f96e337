// What a server in the cluster needs: authentication, authorization, its certificate, and the end of its connections.
export {
  type Authorization,
  type Authorizer,
  type AuthorizerOptions,
  createAuthorizer,
  subjectOf,
} from "./reviews/authorizer.ts";
export { anonymousUser, type User } from "./reviews/identity.ts";
export { bearerToken, createTokenAuthenticator } from "./reviews/tokens.ts";
export { createAuthenticator } from "./serving/authentication/authenticate.ts";
export type { AuthenticationConfig } from "./serving/authentication/authentication-config.ts";
export type {
  AuthenticationMethod,
  AuthenticationResult,
} from "./serving/authentication/authentication-result.ts";
export { parseCertificates } from "./serving/authentication/certificates.ts";
export type { StaticAuthentication } from "./serving/authentication/file-authentication.ts";
export { createHeaderIdentities } from "./serving/authentication/header-identities.ts";
export { type ChainResult, verifyClientChain } from "./serving/authentication/verify-chain.ts";
export { createCertDir } from "./serving/cert-dir.ts";
export { createFilePoller, type FilePoller, type FollowSeams, type ReadText } from "./serving/file-poller.ts";
export { createPathMatcher } from "./serving/path-matcher.ts";
export {
  createInFlightLimiter,
  type InFlightLimiter,
  requestLimits,
} from "./serving/secure-server/limits.ts";
export {
  type BoundAddress,
  createHttpListener,
  type Listener,
  type ListenerOptions,
} from "./serving/secure-server/listener.ts";
export {
  impersonationHeader,
  protocolProblem,
  withProtocolChecks,
} from "./serving/secure-server/protocol.ts";
export { createSecureServer, type SecureServer } from "./serving/secure-server/secure-server.ts";
export {
  failureHeaders,
  forbiddenText,
  type Status,
  type StatusDetails,
  type StatusFailure,
  sendStatus,
  statusOf,
  tooManyRequests,
  unreviewedText,
} from "./serving/secure-server/status.ts";
export { generateServingCertificate } from "./serving/self-signed.ts";
export { createServingCertificate, type SniFiles } from "./serving/serving-certificate.ts";
export { type CertificateStore, noStore, type StoredPair } from "./serving/stored-certificate.ts";
