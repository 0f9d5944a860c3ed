package io.muster.deploy.board.feed;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.feed.BoardView.GangRow;
import io.muster.deploy.board.feed.BoardView.NodeCell;
import io.muster.deploy.board.feed.BoardView.Totals;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class BoardChangeTest {

  private static NodeCell node(int id, Random random) {
    List<List<Long>> held =
        random.nextBoolean() ? null : List.of(List.of((long) random.nextInt(5), 1L));
    return new NodeCell(id, "n" + id, null, null, "Ready", null, null, 8, held, null);
  }

  private static GangRow gang(int id, Random random) {
    return new GangRow(
        id,
        "ns",
        "g" + id,
        null,
        0,
        "Waiting",
        random.nextInt(3),
        2,
        2,
        0,
        8L,
        null,
        "NoRoom",
        "no room",
        null,
        null);
  }

  private static BoardView view(long number, Random random) {
    return new BoardView(
        1,
        "run",
        number,
        "t" + number,
        random.nextInt(4) == 0 ? Sources.LED : Sources.NOT_LED,
        random.nextInt(3) == 0 ? null : new Totals(random.nextInt(3), 0, 0, 0, 0),
        List.of(),
        some(random).mapToObj(id -> node(id, random)).toList(),
        some(random).mapToObj(id -> gang(id, random)).toList(),
        List.of());
  }

  private static IntStream some(Random random) {
    return IntStream.range(0, 12).filter(_ -> random.nextBoolean());
  }

  /** As a page takes a change into what it knows. */
  private static <T> List<T> taken(
      List<T> before, List<T> changed, List<Integer> gone, java.util.function.ToIntFunction<T> id) {
    var known = new TreeMap<Integer, T>();
    before.forEach(one -> known.put(id.applyAsInt(one), one));
    gone.forEach(known::remove);
    changed.forEach(one -> known.put(id.applyAsInt(one), one));
    return new ArrayList<>(known.values());
  }

  @Test
  void whoTakesChangesInKnowsWhatWhoAsksForAllKnows() {
    var random = new Random(7);
    var before = view(0, random);
    for (int number = 1; number < 2_000; number++) {
      var now = view(number, random);
      var change = BoardChange.between(before, now).orElseThrow();
      var gone = change.gone() == null ? new BoardChange.Gone(List.of(), List.of()) : change.gone();
      assertThat(taken(before.nodes(), change.nodes(), gone.nodes(), NodeCell::id))
          .isEqualTo(now.nodes());
      assertThat(taken(before.gangs(), change.gangs(), gone.gangs(), GangRow::id))
          .isEqualTo(now.gangs());
      assertThat(change.source() == null ? before.source() : change.source())
          .isEqualTo(now.source());
      before = now;
    }
  }

  @Test
  void whatIsTheSameIsNotSentAgain() {
    var view = view(1, new Random(3));
    var later =
        new BoardView(
            1,
            "run",
            2,
            "later",
            view.source(),
            view.totals(),
            view.devices(),
            view.nodes(),
            view.gangs(),
            view.queues());

    assertThat(BoardChange.between(view, later)).isEmpty();
  }
}
