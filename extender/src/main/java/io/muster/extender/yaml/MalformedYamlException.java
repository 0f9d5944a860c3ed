package io.muster.extender.yaml;

/** A text that is no YAML as it is read here; the message begins with the line. */
public final class MalformedYamlException extends Exception {

  MalformedYamlException(String message) {
    super(message);
  }
}
