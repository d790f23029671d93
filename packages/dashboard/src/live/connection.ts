import { applyDelta, type UiDelta, type UiModel } from '../model.ts';

/**
 * The connection to the local server, which is not the server's connection to the cluster (`head.data` says how that one is).
 * `ended`: the server does not know this browser any more, since it was started again with another token.
 */
export type Link =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'open' }
  | { readonly kind: 'lost'; readonly since: number }
  | { readonly kind: 'ended' };

export interface PageState {
  readonly link: Link;
  readonly model?: UiModel;
}

export type Received =
  | { readonly kind: 'snapshot'; readonly model: UiModel }
  | { readonly kind: 'delta'; readonly delta: UiDelta }
  | { readonly kind: 'opened' }
  | { readonly kind: 'lost'; readonly at: number }
  | { readonly kind: 'ended' };

/** `reload`: a change was missed, and the whole model is needed again. */
export interface Step {
  readonly state: PageState;
  readonly reload: boolean;
}

export function receive(state: PageState, event: Received): Step {
  switch (event.kind) {
    case 'snapshot':
      return kept({ link: { kind: 'open' }, model: event.model });
    case 'delta':
      return receiveDelta(state, event.delta);
    case 'opened':
      return kept({ ...state, link: { kind: 'open' } });
    case 'lost':
      // Every failed attempt is reported: the first one says since when what is shown may be old.
      return kept(state.link.kind === 'lost' ? state : { ...state, link: { kind: 'lost', since: event.at } });
    case 'ended':
      return kept({ ...state, link: { kind: 'ended' } });
  }
}

function receiveDelta(state: PageState, delta: UiDelta): Step {
  const { model } = state;
  if (model === undefined) return { state, reload: true };
  // A reload and the stream overlap: the model may already have what this delta brings.
  if (delta.to <= model.head.revision) return kept(state);
  if (delta.from !== model.head.revision) return { state, reload: true };
  return kept({ link: { kind: 'open' }, model: applyDelta(model, delta) });
}

function kept(state: PageState): Step {
  return { state, reload: false };
}
