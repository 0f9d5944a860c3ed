package io.muster.extender.core.gang.dialect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a JSON array of strings, and nothing else, in one pass over the text. Strict as RFC 8259:
 * no trailing comma, no raw control characters, only the escapes it names. Serves one call.
 */
public final class StringArray {

  private static final char END = '\0';

  private final String text;
  private int position;

  private StringArray(String text) {
    this.text = text;
  }

  /** The strings in their order; empty if the text is no JSON array of strings. */
  static Optional<List<String>> parse(String text) {
    var reader = new StringArray(text);
    var strings = reader.array();
    reader.skipBlanks();
    return reader.position == text.length() ? strings : Optional.empty();
  }

  private Optional<List<String>> array() {
    var strings = new ArrayList<String>();
    if (!take('[')) {
      return Optional.empty();
    }
    if (take(']')) {
      return Optional.of(strings);
    }
    do {
      var string = string();
      if (string.isEmpty()) {
        return Optional.empty();
      }
      strings.add(string.get());
    } while (take(','));
    return take(']') ? Optional.of(strings) : Optional.empty();
  }

  private Optional<String> string() {
    if (!take('"')) {
      return Optional.empty();
    }
    var string = new StringBuilder();
    while (position < text.length()) {
      char next = text.charAt(position++);
      if (next == '"') {
        return Optional.of(string.toString());
      }
      if (next < ' ') {
        return Optional.empty();
      }
      if (next == '\\') {
        next = escaped();
        if (next == END) {
          return Optional.empty();
        }
      }
      string.append(next);
    }
    return Optional.empty();
  }

  /** The character an escape stands for; END for none, and for NUL, which no name holds. */
  private char escaped() {
    if (position == text.length()) {
      return END;
    }
    char kind = text.charAt(position++);
    return switch (kind) {
      case '"', '\\', '/' -> kind;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> codeUnit();
      default -> END;
    };
  }

  private char codeUnit() {
    if (text.length() - position < 4) {
      return END;
    }
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      char digit = text.charAt(position++);
      int value = digit < 128 ? Character.digit(digit, 16) : -1;
      if (value < 0) {
        return END;
      }
      unit = unit * 16 + value;
    }
    return (char) unit;
  }

  private boolean take(char wanted) {
    skipBlanks();
    if (position < text.length() && text.charAt(position) == wanted) {
      position++;
      return true;
    }
    return false;
  }

  private void skipBlanks() {
    while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) {
      position++;
    }
  }
}
