package io.muster.deploy.serve;

import io.muster.controller.core.elastic.Room;
import io.muster.controller.port.GangNames;
import io.muster.extender.app.Desk;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.protocol.RoomFor;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the desk of this process says of room, to those who decide the sizes of jobs. While it
 * cannot tell, nothing fits and nobody is anywhere. Safe for concurrent use.
 */
record DeskRoom(Desk desk) implements Room {

  @Override
  public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
    var asked = wishes.stream().map(DeskRoom::asked).toList();
    return desk.outlook((outlook, now) -> outlook.places(asked, gone, now))
        .orElseGet(() -> Collections.nCopies(wishes.size(), Optional.empty()));
  }

  private static RoomFor asked(Wish wish) {
    return switch (wish) {
      case Wish.OfGang(String gang) -> new RoomFor.Waiting(GangNames.read(gang));
      case Wish.Like(var uids) -> new RoomFor.Like(uids);
      case Wish.At(var uids, var nodes) -> new RoomFor.Placed(uids, nodes);
    };
  }

  @Override
  public boolean couldUse(Wish wish, String node) {
    return desk.outlook((outlook, _) -> outlook.couldUse(asked(wish), node)).orElse(false);
  }

  @Override
  public Map<String, Site> sites(List<String> podUids, Collection<String> gone) {
    var sites = new HashMap<String, Site>();
    desk.outlook((outlook, _) -> outlook.sites(podUids, gone))
        .orElse(Map.of())
        .forEach((uid, site) -> sites.put(uid, new Site(site.node(), site.space())));
    return sites;
  }

  @Override
  public Amounts asks(String podUid) {
    return desk.outlook((outlook, _) -> outlook.asks(podUid))
        .map(DeskRoom::of)
        .orElse(Amounts.NONE);
  }

  @Override
  public Amounts offered() {
    return desk.outlook((outlook, _) -> outlook.offered()).map(DeskRoom::of).orElse(Amounts.NONE);
  }

  @Override
  public Amounts asked() {
    return desk.outlook((outlook, _) -> outlook.asked()).map(DeskRoom::of).orElse(Amounts.NONE);
  }

  private static Amounts of(Resources resources) {
    return new Amounts(resources.cpuMillis(), resources.memoryBytes(), resources.devices());
  }
}
