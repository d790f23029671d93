import type { JSX } from 'preact';
import type { ReservationNote } from '../../model.ts';
import { For } from '../../parts/age.tsx';

/** Disruptions that were allowed, and of which the cluster does not show the effect yet. */
export function Reservations({ reservations }: { readonly reservations: readonly ReservationNote[] }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="reservations-title">
      <h2 id="reservations-title">Disruptions under way</h2>
      {reservations.length === 0 ? (
        <p class="dim">None: no allowed disruption is waiting to take effect.</p>
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Pod</th>
              <th scope="col">What was allowed</th>
              <th scope="col">Since</th>
            </tr>
          </thead>
          <tbody>
            {reservations.map(({ pod, operation, since }) => (
              <tr key={`${pod} ${operation}`}>
                <td>{pod}</td>
                <td>{operation}</td>
                <td>
                  <For since={since} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
