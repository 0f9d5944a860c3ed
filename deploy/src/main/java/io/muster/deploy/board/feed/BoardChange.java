package io.muster.deploy.board.feed;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.muster.deploy.board.feed.BoardView.Devices;
import io.muster.deploy.board.feed.BoardView.GangRow;
import io.muster.deploy.board.feed.BoardView.NodeCell;
import io.muster.deploy.board.feed.BoardView.QueueBar;
import io.muster.deploy.board.feed.BoardView.Source;
import io.muster.deploy.board.feed.BoardView.Totals;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * What has changed from one view to the next. A wire type: a part that is the same is absent, and
 * of nodes and gangs those alone are in it that are new or others than before. Immutable.
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record BoardChange(
    long number,
    String asOf,
    Source source,
    Totals totals,
    List<Devices> devices,
    List<QueueBar> queues,
    List<NodeCell> nodes,
    List<GangRow> gangs,
    Gone gone) {

  /** Numbers of what is no longer there. */
  record Gone(List<Integer> nodes, List<Integer> gangs) {
    boolean isEmpty() {
      return nodes.isEmpty() && gangs.isEmpty();
    }
  }

  /** Empty if they differ in number and time alone. */
  static Optional<BoardChange> between(BoardView before, BoardView now) {
    var gone =
        new Gone(
            missing(before.nodes(), now.nodes(), NodeCell::id),
            missing(before.gangs(), now.gangs(), GangRow::id));
    var change =
        new BoardChange(
            now.number(),
            now.asOf(),
            ifOther(before.source(), now.source()),
            ifOther(before.totals(), now.totals()),
            ifOther(before.devices(), now.devices()),
            ifOther(before.queues(), now.queues()),
            others(before.nodes(), now.nodes(), NodeCell::id),
            others(before.gangs(), now.gangs(), GangRow::id),
            gone.isEmpty() ? null : gone);
    boolean isNone =
        gone.isEmpty()
            && change.nodes.isEmpty()
            && change.gangs.isEmpty()
            && change.source == null
            && change.totals == null
            && change.devices == null
            && change.queues == null;
    return isNone ? Optional.empty() : Optional.of(change);
  }

  private static <T> T ifOther(T before, T now) {
    return Objects.equals(before, now) ? null : now;
  }

  private static <T> List<T> others(List<T> before, List<T> now, ToIntFunction<T> number) {
    var known = before.stream().collect(Collectors.toMap(number::applyAsInt, Function.identity()));
    return now.stream().filter(one -> !one.equals(known.get(number.applyAsInt(one)))).toList();
  }

  private static <T> List<Integer> missing(List<T> before, List<T> now, ToIntFunction<T> number) {
    var there = now.stream().map(number::applyAsInt).collect(Collectors.toSet());
    return before.stream().map(number::applyAsInt).filter(one -> !there.contains(one)).toList();
  }
}
