// No pattern of the pipeline acquires this file: it stays as it is.
export const   untouched=true
