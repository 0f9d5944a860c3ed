package io.muster.demo;

/** One part of the demo. */
interface Act {

  String title();

  /** One sentence: what you are about to see. */
  String promise();

  /**
   * Plays it.
   *
   * @throws UnmetException at the first thing that is not so
   */
  void play(Stage stage);
}
