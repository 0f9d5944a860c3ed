package io.muster.extender.kube.write;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

final class LanesTest {

  private final Queue<Runnable> started = new ArrayDeque<>();
  private final Lanes<String> lanes = new Lanes<>(started::add);
  private final List<String> done = new ArrayList<>();

  @Test
  void keepsTheOrderOfOneKeyAndStartsOneThreadForIt() {
    lanes.submit("a", () -> done.add("a1"));
    lanes.submit("a", () -> done.add("a2"));
    lanes.submit("b", () -> done.add("b1"));

    assertThat(started).hasSize(2);
    started.forEach(Runnable::run);
    assertThat(done).containsExactly("a1", "a2", "b1");
  }

  @Test
  void opensALaneAnewOnceItRanEmpty() {
    lanes.submit("a", () -> done.add("a1"));
    started.remove().run();
    lanes.submit("a", () -> done.add("a2"));

    assertThat(started).hasSize(1);
    started.remove().run();
    assertThat(done).containsExactly("a1", "a2");
  }

  @Test
  void takesWorkThatRunningWorkAdds() {
    lanes.submit("a", () -> lanes.submit("a", () -> done.add("a2")));

    started.remove().run();

    assertThat(started).isEmpty();
    assertThat(done).containsExactly("a2");
  }
}
