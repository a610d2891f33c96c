/**
 * The terms and types of the vocabulary Authorization, in the notation of `vocabulary.ts`.
 * @see docs/reference/annotations.md
 */
export const AUTHORIZATION: string = `
SecuritySchemes=[SecurityScheme]
SecurityScheme(){Authorization RequiredScopes=[.]}
Authorizations=[Authorization]
Authorization!(){Name Description}
OpenIDConnect(Authorization){IssuerUrl}
Http(Authorization){Scheme BearerFormat}
OAuthAuthorization!(Authorization){Scopes=[AuthorizationScope] RefreshUrl}
OAuth2ClientCredentials(OAuthAuthorization){TokenUrl}
OAuth2Implicit(OAuthAuthorization){AuthorizationUrl}
OAuth2Password(OAuthAuthorization){TokenUrl}
OAuth2AuthCode(OAuthAuthorization){AuthorizationUrl TokenUrl}
AuthorizationScope(){Scope Grant Description}
ApiKey(Authorization){KeyName Location=KeyLocation}
KeyLocation|Header QueryOption Cookie
`;
