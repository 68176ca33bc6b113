const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const DOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const NAME_LENGTH = 63;
const DOMAIN_LENGTH = 253;

/**
 * Why the API server would refuse the text as the key of a label, taint or annotation: `[domain/]name`.
 * Source: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set
 */
export function labelKeyProblem(key: string): string | undefined {
  const parts = key.split('/');
  if (parts.length > 2) return `key "${key}" has more than one slash`;
  const name = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] : undefined;
  if (domain !== undefined && (domain.length > DOMAIN_LENGTH || !DOMAIN.test(domain))) {
    return `key "${key}": "${domain}" is not a lower-case domain name of at most ${DOMAIN_LENGTH} characters`;
  }
  return isName(name) ? undefined : `key "${key}": "${name}" is not a name: ${NAME_RULE}`;
}

/** Why the API server would refuse the text as a label's value; the empty text is a value. Same source as the key's rule. */
export function labelValueProblem(value: string): string | undefined {
  return value === '' || isName(value) ? undefined : `value "${value}" is not valid: ${NAME_RULE}`;
}

const NAME_RULE = `1 to ${NAME_LENGTH} letters, digits, "-", "_" or ".", with a letter or digit at both ends`;

function isName(text: string): boolean {
  return text.length <= NAME_LENGTH && NAME.test(text);
}
