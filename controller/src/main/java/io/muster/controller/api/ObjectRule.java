package io.muster.controller.api;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What must hold of a part of an object: a row of the table {@code rules.yml} beside the records of
 * a kind, from which both its CRD and the checks of what is stored have it. Immutable.
 *
 * @param id by which stored objects are checked; null: only the API server checks it
 * @param part of the object, by its path in the schema, with {@code []} for items and {@code *} for
 *     values; null: the whole
 * @param field that is said to be wrong: below the part, with a dot before it, or another; null:
 *     the part
 * @param text what is wrong and what to write; names the field by its last part
 * @param always in CEL, checked at each write; with oldSelf, at each update
 * @param whenChanged in CEL, checked at each write, where oldSelf is what was there, if anything
 *     was
 * @param atCreation in CEL; what is there stays as it is
 * @param found in CEL: what an X in the text stands for; null: nothing
 * @param words of which the part is one; null: it is no word
 * @param name how objects may be called; null: it is no name
 */
@WireType
public record ObjectRule(
    String id,
    String part,
    String field,
    String text,
    String always,
    String whenChanged,
    String atCreation,
    String found,
    List<String> words,
    Name name) {

  /**
   * How objects may be called.
   *
   * @param longest in characters
   */
  public record Name(int longest, String pattern) {}

  /** The field from the object's root. */
  String path() {
    if (field == null) {
      return part;
    }
    return field.startsWith(".") ? part + field : field;
  }

  /** Whether it is one of the words, or a name. */
  boolean allows(String word) {
    return words != null
        ? words.contains(word)
        : word.length() <= name.longest() && Pattern.matches(name.pattern(), word);
  }

  /** The text about a word that was found. */
  String textWith(String word) {
    return text.replace("X", word);
  }
}
