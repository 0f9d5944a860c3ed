package io.muster.deploy.console;

/** How a command prints what it has found: for people, or for programs. */
public enum Output {
  text,
  json
}
