// What a server in the cluster needs: authentication, authorization, its certificate, and the end of its connections.
export {
  type Authorization,
  type Authorizer,
  type AuthorizerOptions,
  createAuthorizer,
  subjectOf,
} from "./reviews/authorizer.ts";
export { anonymousUser, type User, withAuthenticatedGroup } from "./reviews/identity.ts";
export { bearerToken, createTokenAuthenticator, type TokenAuthenticator } from "./reviews/tokens.ts";
export { type Authenticator, createAuthenticator } from "./serving/authentication/authenticate.ts";
export type { AuthenticationConfig } from "./serving/authentication/authentication-config.ts";
export type {
  AuthenticationMethod,
  AuthenticationResult,
} from "./serving/authentication/authentication-result.ts";
export {
  type AuthenticationSource,
  createAuthenticationSource,
} from "./serving/authentication/authentication-source.ts";
export { parseCertificates } from "./serving/authentication/certificates.ts";
export type { StaticAuthentication } from "./serving/authentication/file-authentication.ts";
export { createHeaderIdentities } from "./serving/authentication/header-identities.ts";
export { isIdentityHeader } from "./serving/authentication/identity-headers.ts";
export { type ChainResult, verifyClientChain } from "./serving/authentication/verify-chain.ts";
export { createCertDir } from "./serving/cert-dir.ts";
export { createDrain, type Drain } from "./serving/drain.ts";
export { createFilePoller, type FilePoller, type ReadText } from "./serving/file-poller.ts";
export { createPathMatcher } from "./serving/path-matcher.ts";
export { refuseUnreadable } from "./serving/refusals.ts";
export { generateServingCertificate } from "./serving/self-signed.ts";
export {
  createServingCertificate,
  type KeyPair,
  keyPair,
  type ServingCertificate,
  type ServingMaterial,
  type SniFiles,
} from "./serving/serving-certificate.ts";
export { type CertificateStore, noStore, type StoredPair } from "./serving/stored-certificate.ts";
