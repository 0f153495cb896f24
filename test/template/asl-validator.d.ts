declare module 'asl-validator' {
  /** Validates a definition in Amazon States Language and writes defaults into it. */
  export default function validate(definition: object): { isValid: boolean; errorsText(): string };
}
