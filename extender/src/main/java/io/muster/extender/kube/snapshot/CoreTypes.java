package io.muster.extender.kube.snapshot;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.BeanProperty;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonDeserializer;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.ContextualDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdDeserializer;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.ser.std.StdSerializer;
import com.fasterxml.jackson.databind.ser.std.ToStringSerializer;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * How types that the core uses are written: an Optional as what is in it, times as text, sets in
 * one order.
 */
@SuppressWarnings("serial") // Mappers are never serialized.
final class CoreTypes extends SimpleModule {

  CoreTypes() {
    super("core");
    addSerializer(Instant.class, ToStringSerializer.instance);
    addSerializer(Duration.class, ToStringSerializer.instance);
    addSerializer(new OptionalWriter());
    addSerializer(new SetWriter());
    addDeserializer(Instant.class, new Text<>(Instant.class, Instant::parse));
    addDeserializer(Duration.class, new Text<>(Duration.class, Duration::parse));
    addDeserializer(Optional.class, new OptionalReader());
  }

  private static final class OptionalWriter extends StdSerializer<Optional<?>> {

    OptionalWriter() {
      super(Optional.class, false);
    }

    @Override
    public boolean isEmpty(SerializerProvider provider, Optional<?> value) {
      return value.isEmpty();
    }

    @Override
    public void serialize(Optional<?> value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      provider.defaultSerializeValue(value.orElse(null), out);
    }
  }

  /** Copies of sets have no order of their own. */
  private static final class SetWriter extends StdSerializer<Set<?>> {

    SetWriter() {
      super(Set.class, false);
    }

    @Override
    public void serialize(Set<?> value, JsonGenerator out, SerializerProvider provider)
        throws IOException {
      out.writeStartArray();
      for (var element : new TreeSet<>(value)) {
        provider.defaultSerializeValue(element, out);
      }
      out.writeEndArray();
    }
  }

  private static final class Text<T> extends StdScalarDeserializer<T> {

    private final transient Function<String, T> meaning;

    Text(Class<T> type, Function<String, T> meaning) {
      super(type);
      this.meaning = meaning;
    }

    @Override
    @SuppressWarnings("unchecked")
    public T deserialize(JsonParser in, DeserializationContext context) throws IOException {
      var text = in.getValueAsString("");
      try {
        return meaning.apply(text);
      } catch (DateTimeException e) {
        return (T) context.handleWeirdStringValue(handledType(), text, e.getMessage());
      }
    }
  }

  private static final class OptionalReader extends StdDeserializer<Optional<?>>
      implements ContextualDeserializer {

    private final transient JavaType content;

    OptionalReader() {
      this(null);
    }

    private OptionalReader(JavaType content) {
      super(Optional.class);
      this.content = content;
    }

    @Override
    public JsonDeserializer<?> createContextual(
        DeserializationContext context, BeanProperty property) {
      return new OptionalReader(context.getContextualType().containedTypeOrUnknown(0));
    }

    @Override
    public Optional<?> getNullValue(DeserializationContext context) {
      return Optional.empty();
    }

    @Override
    public Object getAbsentValue(DeserializationContext context) {
      return Optional.empty();
    }

    @Override
    public Optional<?> deserialize(JsonParser in, DeserializationContext context)
        throws IOException {
      return Optional.of(context.<Object>readValue(in, content));
    }
  }
}
