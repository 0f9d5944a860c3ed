package io.muster.docs;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The commands of a simple script, a list of words each: quotes, comments, pipes, {@code &&}, loops
 * and redirections, but no substitutions. Stateless.
 */
final class ShellWords {

  private static final Set<String> KEYWORDS =
      Set.of("while", "until", "do", "if", "then", "else", "!", "time");

  private final String script;
  private final List<List<String>> commands = new ArrayList<>();
  private List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private boolean isWord;
  private boolean isFile;

  private ShellWords(String script) {
    this.script = script;
  }

  static List<List<String>> commands(String script) {
    var reading = new ShellWords(script.replace("\\\n", " ") + "\n");
    reading.read();
    return List.copyOf(reading.commands);
  }

  private void read() {
    for (int at = 0; at < script.length(); at++) {
      char c = script.charAt(at);
      switch (c) {
        case '\'', '"' -> {
          int close = closing(c, at);
          word.append(script, at + 1, close);
          isWord = true;
          at = close;
        }
        case '\\' -> {
          at++;
          word.append(script.charAt(at));
          isWord = true;
        }
        case ' ', '\t' -> endWord();
        case '\n', ';', '|', '&' -> endCommand();
        case '>', '<' -> {
          // The number of a stream before it is no word.
          if (word.toString().matches("\\d")) {
            word.setLength(0);
            isWord = false;
          }
          endWord();
          isFile = true;
        }
        case '#' -> {
          if (isWord) {
            word.append(c);
          } else {
            at = script.indexOf('\n', at) - 1;
          }
        }
        default -> {
          word.append(c);
          isWord = true;
        }
      }
    }
  }

  private int closing(char quote, int from) {
    int at = from + 1;
    while (script.charAt(at) != quote) {
      at += quote == '"' && script.charAt(at) == '\\' ? 2 : 1;
    }
    return at;
  }

  private void endWord() {
    if (isWord && !isFile && !(words.isEmpty() && KEYWORDS.contains(word.toString()))) {
      words.add(word.toString());
    }
    isFile &= !isWord;
    isWord = false;
    word.setLength(0);
  }

  private void endCommand() {
    endWord();
    isFile = false;
    if (!words.isEmpty()) {
      commands.add(List.copyOf(words));
      words = new ArrayList<>();
    }
  }
}
