package io.muster.extender.core.gang;

/** Things with their number, as sentences have them. */
public final class Counted {

  private Counted() {}

  /**
   * So many of a thing.
   *
   * @param thing one of them, a word that has s where there are several
   */
  public static String of(long count, String thing) {
    return "%d %s%s".formatted(count, thing, count == 1 ? "" : "s");
  }

  /**
   * The same, and what they do.
   *
   * @param one what a single one does
   * @param several what several do
   */
  public static String of(long count, String thing, String one, String several) {
    return of(count, thing) + " " + (count == 1 ? one : several);
  }

  /** So many members that are to start as one. */
  public static String together(int members) {
    return of(members, "member") + (members == 1 ? "" : " together");
  }
}
