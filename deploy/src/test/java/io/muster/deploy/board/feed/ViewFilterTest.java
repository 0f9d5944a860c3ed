package io.muster.deploy.board.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.deploy.board.access.Access;
import io.muster.deploy.board.feed.BoardView.GangRow;
import io.muster.deploy.board.feed.BoardView.NodeCell;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class ViewFilterTest {

  private final BoardView view = new MadeView(40, 12).view();

  private static ViewFilter filter(Access access) {
    return new ViewFilter(access, new SharedCells());
  }

  private static Set<String> namespaces(BoardView view) {
    return view.gangs().stream().map(GangRow::namespace).collect(Collectors.toSet());
  }

  private static String json(BoardView view) throws JsonProcessingException {
    return new ObjectMapper().writeValueAsString(view);
  }

  /** Row B5. */
  @Test
  void namesOfWhatMayNotBeSeenAreNowhere() throws JsonProcessingException {
    var all = new TreeSet<>(namespaces(view));
    assertThat(all).hasSizeGreaterThan(2);
    var own = all.first();
    var seen = filter(new Access(false, Set.of(own), false, false)).of(view);

    assertThat(namespaces(seen)).containsExactly(own);
    assertThat(seen.gangs()).isEqualTo(of(own, view.gangs()));
    var text = json(seen);
    for (var gang : view.gangs()) {
      if (!gang.namespace().equals(own)) {
        assertThat(text)
            .doesNotContain("\"" + gang.name() + "\"")
            .doesNotContain("\"" + gang.namespace() + "\"");
      }
    }
    for (var node : view.nodes()) {
      assertThat(text)
          .doesNotContain("\"" + node.name() + "\"")
          .doesNotContain("\"" + node.block() + "\"");
    }
    assertThat(seen.queues())
        .allSatisfy(
            queue -> assertThat(seen.gangs().stream().map(GangRow::queue)).contains(queue.name()));
    assertThat(seen.source().left()).hasSize(view.source().left().size() + 3);
  }

  private static List<GangRow> of(String namespace, List<GangRow> gangs) {
    return gangs.stream().filter(gang -> gang.namespace().equals(namespace)).toList();
  }

  @Test
  void theMapStaysWhole() {
    var seen = filter(new Access(false, Set.of(), false, false)).of(view);

    assertThat(seen.totals()).isEqualTo(view.totals());
    assertThat(seen.nodes()).hasSameSizeAs(view.nodes());
    for (int i = 0; i < seen.nodes().size(); i++) {
      var before = view.nodes().get(i);
      var after = seen.nodes().get(i);
      assertThat(after.devices()).isEqualTo(before.devices());
      assertThat(devices(after.held())).isEqualTo(devices(before.held()));
      assertThat(devices(after.kept())).isEqualTo(devices(before.kept()));
      assertThat(after.state()).isEqualTo(before.state());
    }
    var blocks = view.nodes().stream().map(NodeCell::block).distinct().count();
    assertThat(seen.nodes().stream().map(NodeCell::block).distinct()).hasSize((int) blocks);
    assertThat(new HashSet<>(seen.nodes().stream().map(NodeCell::name).toList()))
        .hasSize(view.nodes().size());
  }

  private static long devices(List<List<Long>> pairs) {
    return pairs == null ? 0 : pairs.stream().mapToLong(List::getLast).sum();
  }

  @Test
  void whoMaySeeAllSeesAll() {
    var seen = filter(Access.ALL).of(view);
    assertThat(seen.gangs()).isEqualTo(view.gangs());
    assertThat(seen.nodes().stream().map(NodeCell::name))
        .containsExactlyElementsOf(view.nodes().stream().map(NodeCell::name).toList());
    assertThat(seen.queues()).isEqualTo(view.queues());
    assertThat(seen.source()).isEqualTo(view.source());
  }

  /** A hundred viewers with different rights must not take a hundred times the nodes. */
  @Test
  void nodesWithoutGangsOfTheirsAreTheSameObjectsForAllWhoAreShownThem() {
    var shared = new SharedCells();
    var made = new MadeView(400, 60);
    var before = Collections.newSetFromMap(new IdentityHashMap<NodeCell, Boolean>());
    for (var shown : List.of(made.view(), made.changed(1))) {
      var byAccount =
          List.of("team-1", "team-2", "team-3").stream()
              .map(own -> new ViewFilter(new Access(false, Set.of(own), false, false), shared))
              .map(filter -> filter.of(shown))
              .toList();
      int own = 0;
      for (int i = 0; i < shown.nodes().size(); i++) {
        int node = i;
        var cells = byAccount.stream().map(view -> view.nodes().get(node)).toList();
        var gangs = SharedCells.gangs(shown.nodes().get(i)).boxed().toList();
        for (int account = 0; account < cells.size(); account++) {
          boolean isOwn =
              byAccount.get(account).gangs().stream()
                  .anyMatch(gang -> gangs.contains((long) gang.id()));
          own += isOwn ? 1 : 0;
          if (!isOwn) {
            assertThat(cells.get(account)).isSameAs(shared.foreign(false).get(i));
          }
        }
      }
      assertThat(own).isBetween(1, 3 * 400 / 2);
      var changed = shared.foreign(false).stream().filter(cell -> !before.contains(cell)).toList();
      assertThat(changed).hasSizeLessThanOrEqualTo(before.isEmpty() ? 400 : 1);
      before.addAll(shared.foreign(false));
    }
  }
}
