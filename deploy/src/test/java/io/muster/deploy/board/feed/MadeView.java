package io.muster.deploy.board.feed;

import io.muster.deploy.board.feed.BoardView.Devices;
import io.muster.deploy.board.feed.BoardView.GangRow;
import io.muster.deploy.board.feed.BoardView.NodeCell;
import io.muster.deploy.board.feed.BoardView.QueueBar;
import io.muster.deploy.board.feed.BoardView.Totals;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A cluster of any size as the page is told of it, with changes. Confined to one thread. */
public final class MadeView {

  private static final int DEVICES = 8;

  private final Random random = new Random(5);
  private final List<NodeCell> nodes = new ArrayList<>();
  private final List<GangRow> gangs = new ArrayList<>();
  private long number;

  /** Two thirds of the gangs wait; the others have half of the devices. */
  public MadeView(int nodeCount, int gangCount) {
    for (int id = 0; id < gangCount; id++) {
      gangs.add(gang(id, id % 3 != 0, "no room for 8 members together: too few devices are free"));
    }
    for (int id = 0; id < nodeCount; id++) {
      nodes.add(node(id));
    }
  }

  private static GangRow gang(int id, boolean waits, String message) {
    return new GangRow(
        id,
        "team-" + id % 7,
        "train-" + id,
        "queue-" + id % 5,
        id % 3,
        waits ? "Waiting" : "Running",
        waits ? 1 + id : null,
        8,
        8,
        waits ? 0 : 8,
        64L,
        "2026-11-22T05:00:00Z",
        waits ? "NoRoom" : "Satisfied",
        message,
        waits ? "add nodes, or wait until others end" : null,
        null);
  }

  private NodeCell node(int id) {
    var held = new ArrayList<List<Long>>();
    for (int half = 0; half < random.nextInt(3); half++) {
      held.add(List.of((long) random.nextInt(gangs.size()), (long) DEVICES / 2));
    }
    return new NodeCell(
        id,
        "node-" + id,
        "block-" + id / 512,
        "rack-" + id / 32,
        id % 50 == 0 ? "Cordoned" : "Ready",
        id % 70 == 0 ? true : null,
        "nvidia.com/gpu",
        DEVICES,
        held.isEmpty() ? null : held,
        null);
  }

  public BoardView view() {
    number++;
    long all = (long) nodes.size() * DEVICES;
    return new BoardView(
        BoardView.VERSION,
        "run",
        number,
        java.time.Instant.parse("2026-11-22T06:00:00Z").plusMillis(20 * number).toString(),
        Sources.LED,
        new Totals(all, all / 2, 0, all - all / 2, all / 8),
        List.of(new Devices("nvidia.com/gpu", all, all - all / 2)),
        List.copyOf(nodes),
        List.copyOf(gangs),
        List.of(new QueueBar("queue-0", 100L, 200L, 50, 0, 10, 64, 3)));
  }

  /** So many nodes have others on them, and one gang says something else. */
  public BoardView changed(int nodeCount) {
    for (int i = 0; i < nodeCount; i++) {
      int id = random.nextInt(nodes.size());
      nodes.set(id, node(id));
    }
    int id = random.nextInt(gangs.size());
    gangs.set(id, gang(id, id % 3 != 0, "as of change " + number));
    return view();
  }
}
