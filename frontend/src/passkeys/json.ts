// Passkey challenges and responses in the server's format: JSON with bytes as base64url.

interface DescriptorJson {
  type: "public-key";
  id: string;
}

export interface CreationJson {
  publicKey: Omit<PublicKeyCredentialCreationOptions, "challenge" | "user" | "excludeCredentials"> & {
    challenge: string;
    user: { id: string; name: string; displayName: string };
    excludeCredentials?: DescriptorJson[] | null;
  };
}

export interface RequestJson {
  publicKey: Omit<PublicKeyCredentialRequestOptions, "challenge" | "allowCredentials"> & {
    challenge: string;
    allowCredentials?: DescriptorJson[] | null;
  };
}

/** Decodes base64url text to bytes. */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Bytes as base64url without padding. */
export function encodeBase64url(bytes: ArrayBuffer): string {
  const binary = Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function readDescriptors(descriptors: DescriptorJson[] | null | undefined): PublicKeyCredentialDescriptor[] {
  return (descriptors ?? []).map((descriptor) => ({ type: descriptor.type, id: decodeBase64url(descriptor.id) }));
}

/** Converts the server's creation options to the browser's format. */
export function readCreation({ publicKey }: CreationJson): CredentialCreationOptions {
  const user = { ...publicKey.user, id: decodeBase64url(publicKey.user.id) };
  const excludeCredentials = readDescriptors(publicKey.excludeCredentials);
  return { publicKey: { ...publicKey, challenge: decodeBase64url(publicKey.challenge), user, excludeCredentials } };
}

/** Converts the server's request options to the browser's format. */
export function readRequest({ publicKey }: RequestJson): CredentialRequestOptions {
  const allowCredentials = readDescriptors(publicKey.allowCredentials);
  return { publicKey: { ...publicKey, challenge: decodeBase64url(publicKey.challenge), allowCredentials } };
}

/** Converts the browser's response to the server's format. */
export function writeAnswer(credential: PublicKeyCredential): string {
  const answer = credential.response;
  const response: Record<string, string> = { clientDataJSON: encodeBase64url(answer.clientDataJSON) };
  if (answer instanceof AuthenticatorAttestationResponse) {
    response.attestationObject = encodeBase64url(answer.attestationObject);
  } else if (answer instanceof AuthenticatorAssertionResponse) {
    response.authenticatorData = encodeBase64url(answer.authenticatorData);
    response.signature = encodeBase64url(answer.signature);
    if (answer.userHandle) response.userHandle = encodeBase64url(answer.userHandle);
  }
  const { id, type } = credential;
  return JSON.stringify({ id, rawId: id, type, response, clientExtensionResults: {} });
}
