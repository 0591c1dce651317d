export const windows = true;

export function lines(text: string): string[] {
  return text.split(/\r?\n/);
}
