// Nobody imports this any more.
export function padLeft(text: string, width: number): string {
  return text.length >= width ? text : padLeft(" " + text, width)
}
